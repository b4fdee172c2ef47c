import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { CERTIFICATE, CERTIFICATE_KEY } from "./certificate.ts";

export type Received = {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Headers as they came, name and value in turn. */
  rawHeaders: string[];
  body: string;
};

/** What a peer does once it has the whole request. */
export type Behaviour = (request: Received, response: ServerResponse, socket: Socket) => void;

/** A real HTTP server on loopback that keeps what it got and answers as it is told. */
export async function startHttpPeer(behaviour: Behaviour, options: { tls?: boolean } = {}) {
  const requests: Received[] = [];
  let connections = 0;
  const peer = { behaviour };
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    incoming.on("error", () => {});
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const request: Received = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers as Record<string, string>,
        rawHeaders: incoming.rawHeaders,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      requests.push(request);
      peer.behaviour(request, response, incoming.socket);
    });
  };
  const server = options.tls
    ? createSecureServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, listener)
    : createServer(listener);
  server.on("connection", () => connections++);
  server.on("tlsClientError", () => {});
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}/hook`,
    requests,
    connections: () => connections,
    behave(next: Behaviour) {
      peer.behaviour = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export type HttpPeer = Awaited<ReturnType<typeof startHttpPeer>>;

export const answer =
  (status: number, body = "", headers: Record<string, string> = {}): Behaviour =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** The request was read to its end, and then the connection is gone. */
export const reset: Behaviour = (_request, _response, socket) => void socket.resetAndDestroy();

export const hang: Behaviour = () => {};

/** A status line, and then a body that never ends. */
export const drip =
  (status: number): Behaviour =>
  (_request, response) => {
    response.writeHead(status);
    const timer = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(timer));
  };

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const peer = await startHttpPeer(hang);
  await peer.close();
  return peer.port;
}
