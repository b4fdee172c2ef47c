import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { closeServer, createHttpServer, listen } from "#app/http-server.ts";
import { matchWebhook, type Receive, serveWebhook } from "#app/node-request.ts";
import { readBody } from "#lib/receive/read-body.ts";

const LIMIT = 1_000;

/** Reads as the receiver does and tells what came. */
const receive: Receive = async (request) => {
  const answer = (status: number, body: string) => ({ status, headers: { "x-test": "1" }, body });
  if (request.source === "nobody") return answer(404, "no such source");
  const length = request.header("content-length");
  const read = await readBody(request.body, LIMIT, length === null ? null : Number(length));
  if (!read.ok) return answer(read.reason === "body_too_large" ? 413 : 400, read.reason);
  return answer(200, `${request.method} ${request.source} ${request.query} ${read.body.toString("hex")}`);
};

async function startServer(handle: Receive = receive): Promise<{ port: number; errors: unknown[] }> {
  const errors: unknown[] = [];
  const server = createHttpServer(
    (request, response) => serveWebhook(handle, matchWebhook(request.url) ?? "none", request, response),
    (error) => errors.push(error),
  );
  await listen(server, 0, "127.0.0.1");
  onTestFinished(() => closeServer(server, 100));
  return { port: (server.address() as AddressInfo).port, errors };
}

/** A raw connection: what is written, and everything that came back by the time the server closed it. */
async function open(
  port: number,
): Promise<{ socket: Socket; received: () => string; closed: Promise<unknown> }> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", (error) => {
    text += `<${(error as NodeJS.ErrnoException).code}>`;
  });
  await once(socket, "connect");
  return { socket, received: () => text, closed: once(socket, "end") };
}

const post = (headers: string, path = "/api/webhooks/stripe") =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe("matchWebhook", () => {
  test.each([
    ["/api/webhooks/stripe", "stripe"],
    ["/api/webhooks/stripe/", "stripe"],
    ["/api/webhooks/stripe/?a=1", "stripe"],
    ["/api/webhooks/a%20b?x", "a b"],
    ["/api/webhooks/%ff", "%ff"],
    ["/api/webhooks/", null],
    ["/api/webhooks/a/b", null],
    ["/api/webhooks//", null],
    ["/other", null],
  ])("%s is %s", (url, source) => {
    expect(matchWebhook(url)).toBe(source);
  });
});

describe("a webhook over node:http", () => {
  test("bytes, query and repeated headers arrive as sent, and the connection is kept", async () => {
    const seen: (string | null)[] = [];
    const { port } = await startServer(async (request) => {
      seen.push(request.header("x-sig"), request.header("content-type"), request.header("absent"));
      return receive(request);
    });
    const { socket, received } = await open(port);
    const head = post(
      "X-Sig: a\r\nX-Sig: b\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n",
      "/api/webhooks/stripe/?q=%20",
    );
    for (const turn of [1, 2]) {
      socket.write(`${head}2\r\n`);
      socket.write(Buffer.from([0x00, 0xff, 0x0d, 0x0a]));
      await sleep(20);
      socket.write("1\r\n!\r\n0\r\n\r\n");
      await expect
        .poll(received)
        .toMatch(new RegExp(`(HTTP/1.1 200 OK[\\s\\S]*stripe q=%20 00ff21[\\s\\S]*){${turn}}`));
    }
    expect(received()).not.toMatch(/connection: close/i);
    expect(seen.slice(0, 3)).toEqual(["a, b", "text/plain", null]);
  });

  test("HEAD gets headers and no body", async () => {
    const { port } = await startServer();
    const { socket, received, closed } = await open(port);
    socket.write("HEAD /api/webhooks/stripe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 200 OK[\s\S]*\r\n\r\n$/);
  });

  test("Expect: 100-continue is answered when the body is wanted, and refused without it when it is not", async () => {
    const { port } = await startServer();
    const wanted = await open(port);
    wanted.socket.write(post("Content-Length: 2\r\nExpect: 100-continue\r\n"));
    await expect.poll(wanted.received).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    wanted.socket.write("hi");
    await expect.poll(wanted.received).toMatch(/200 OK[\s\S]*6869$/);

    for (const [path, length, status] of [
      ["/api/webhooks/nobody", "2", "404"],
      ["/api/webhooks/stripe", "5000", "413"],
    ] as const) {
      const refused = await open(port);
      refused.socket.write(post(`Content-Length: ${length}\r\nExpect: 100-continue\r\n`, path));
      await refused.closed;
      expect(refused.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*Connection: close`));
    }
  });

  test("a refusal reaches a sender that is still sending, then the connection is closed", async () => {
    const { port } = await startServer();
    const { socket, received, closed } = await open(port);
    const body = Buffer.alloc(700_000, 0x61);
    socket.write(post(`Content-Length: ${body.length}\r\n`));
    for (let at = 0; at < body.length; at += 100_000) {
      socket.write(body.subarray(at, at + 100_000));
      await sleep(5);
    }
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 413 [\s\S]*Connection: close[\s\S]*body_too_large$/);
  });

  test("endless bodies are cut off a moment after the refusal", async () => {
    const { port } = await startServer();
    const { socket, received } = await open(port);
    const start = Date.now();
    socket.write(post("Transfer-Encoding: chunked\r\n"));
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536), Buffer.from("\r\n")]);
    const timer = setInterval(() => socket.writable && socket.write(chunk), 1);
    await Promise.race([once(socket, "close"), once(socket, "end")]);
    clearInterval(timer);
    expect(received()).toContain("413");
    expect(Date.now() - start).toBeLessThan(8_000);
  });

  test("a body shorter than announced is answered with 400", async () => {
    const { port, errors } = await startServer();
    const { socket, received, closed } = await open(port);
    socket.write(`${post("Content-Length: 10\r\n")}abc`);
    await sleep(50);
    socket.end();
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 400 [\s\S]*body_truncated$/);
    expect(errors).toEqual([]);
  });

  test("a sender that vanishes is an error for the reader, and no other harm", async () => {
    const results: string[] = [];
    const { port, errors } = await startServer(async (request) => {
      const answer = await receive(request);
      results.push(answer.body);
      return answer;
    });
    const { socket } = await open(port);
    socket.write(`${post("Content-Length: 10\r\n")}abc`);
    await sleep(50);
    socket.resetAndDestroy();
    await expect.poll(() => results).toEqual(["body_truncated"]);
    expect(errors).toEqual([]);
    expect(
      (await fetch(`http://127.0.0.1:${port}/api/webhooks/stripe`, { method: "POST", body: "x" })).status,
    ).toBe(200);
  });

  test("what is not HTTP gets a 400 in JSON", async () => {
    const { port } = await startServer();
    const { socket, received, closed } = await open(port);
    socket.write("nonsense\r\n\r\n");
    await closed;
    expect(received()).toMatch(/^HTTP\/1.1 400 Bad Request[\s\S]*bad_request/);
  });

  test("a handler that throws is a 500, and is told", async () => {
    const { port, errors } = await startServer(async () => {
      throw new Error("surprise");
    });
    const response = await fetch(`http://127.0.0.1:${port}/api/webhooks/stripe`, {
      method: "POST",
      body: "x",
    });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("surprise");
    expect(String(errors)).toContain("surprise");
  });

  test("closing lets a running request finish and does not wait for idle connections", async () => {
    const server = createHttpServer(
      (request, response) =>
        serveWebhook(
          async (given) => {
            await sleep(300);
            return receive(given);
          },
          "stripe",
          request,
          response,
        ),
      () => {},
    );
    await listen(server, 0, "127.0.0.1");
    const { port } = server.address() as AddressInfo;
    const idle = await open(port);
    const busy = await open(port);
    busy.socket.write(`${post("Content-Length: 2\r\n")}hi`);
    await sleep(50);
    const start = Date.now();
    await closeServer(server, 5_000);
    await busy.closed;
    expect(busy.received()).toMatch(/200 OK[\s\S]*6869$/);
    expect(Date.now() - start).toBeLessThan(2_000);
    idle.socket.destroy();
  });
});
