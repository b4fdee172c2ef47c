import { connect } from "node:net";

export type RawAnswer = { status: number | null; headers: string; body: string; complete: boolean };

/**
 * Writes bytes as they are; the first answer, or what came of it before the server closed. Status null when there is
 * none. With `end` our side is closed after the last byte. For requests that no HTTP client would send.
 */
export function sendBytes(
  port: number,
  chunks: readonly (Buffer | string)[],
  { end = false, timeout = 10_000 } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = "";
    const hasBody = !/^HEAD/.test(String(chunks[0]).slice(0, 4));
    const read = () => readAnswer(text, hasBody);
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      for (const chunk of chunks) socket.write(chunk);
      if (end) socket.end();
    });
    socket.setEncoding("latin1");
    socket.setTimeout(timeout, () => {
      reject(new Error(`no answer within ${timeout} ms; so far: ${text.slice(0, 200)}`));
      socket.destroy();
    });
    socket.on("data", (data) => {
      text += data;
      if (read().complete) socket.destroy();
    });
    socket.on("end", () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", () => resolve(read()));
  });
}

function readAnswer(text: string, hasBody: boolean): RawAnswer {
  const final = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(final)?.[1];
  const split = final.indexOf("\r\n\r\n");
  const headers = split < 0 ? final : final.slice(0, split);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(headers)?.[1] ?? Number.POSITIVE_INFINITY);
  const body = split < 0 ? "" : final.slice(split + 4, split + 4 + length);
  return {
    status: status ? Number(status) : null,
    headers,
    body,
    complete: split >= 0 && (!hasBody || body.length === length),
  };
}

export type Connection = {
  /** One request with a body on a connection that is kept. Its answer must come whole before the next. */
  post(
    path: string,
    headers: Record<string, string>,
    body: Buffer | string,
  ): Promise<{ status: number; body: string }>;
  close(): void;
};

/** A kept connection that costs a tenth of what fetch does, for tests that send many thousand requests. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let text = "";
  let waiting: PromiseWithResolvers<{ status: number; body: string }> | null = null;
  const fail = (error: Error) => waiting?.reject(error);
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));
  socket.setEncoding("latin1");
  socket.on("data", (data) => {
    text += data;
    const split = text.indexOf("\r\n\r\n");
    if (split < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
    if (text.length < split + 4 + length) return;
    const answer = { status: Number(text.slice(9, 12)), body: text.slice(split + 4) };
    text = "";
    waiting?.resolve(answer);
  });
  return {
    post(path, headers, body) {
      waiting = Promise.withResolvers();
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join("")}\r\n`;
      socket.write(Buffer.concat([Buffer.from(head), Buffer.from(body)]));
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
