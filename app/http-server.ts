import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { failReading, markExpecting, matchWebhook } from "./node-request.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** Bounds what slow or silent clients can hold. keepAlive is longer than the usual 60 s of load balancers. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  joinDuplicateHeaders: true,
};
const MAX_CONNECTIONS = 8_192;

const open = new WeakMap<Server, Set<Socket>>();

/** An HTTP server whose handler may throw, and whose faults are answered rather than cut off. */
export function createHttpServer(handle: Handler, onError: (error: unknown) => void): Server {
  const server: Server = createServer({
    ...LIMITS,
    // Java's HttpClient offers h2c with every POST. Next listens for upgrades, and such a webhook would end there.
    shouldUpgradeCallback: ({ url }) => server.listenerCount("upgrade") > 0 && matchWebhook(url) === null,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error) => {
      onError(error);
      if (!response.headersSent) sendError(response, 500, "internal", "Something went wrong on our side.");
      else response.destroy();
    });
  };
  server.on("request", serve);
  server.on("checkContinue", (request, response) => {
    markExpecting(request);
    serve(request, response);
  });
  server.on("clientError", answerClientError);
  const sockets = new Set<Socket>();
  open.set(server, sockets);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return server;
}

export function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(JSON.stringify({ error: { code, message } }));
}

export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: 1024 }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** No new connections; what runs may finish within graceMs, then the rest is cut (an open event stream never ends). */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    // Node counts these as busy; browsers open them in advance, and one would hold the stop up.
    for (const socket of open.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
  }, 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

const STATUS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
};

function answerClientError(error: NodeJS.ErrnoException, duplex: unknown): void {
  const socket = duplex as Socket & { _httpMessage?: ServerResponse | null };
  if (failReading(socket, error)) return;
  if (socket.writable && error.code !== "ECONNRESET" && !socket._httpMessage?.headersSent) {
    const body = '{"error":{"code":"bad_request","message":"This is not a complete HTTP request."}}';
    const head = `HTTP/1.1 ${STATUS[error.code ?? ""] ?? "400 Bad Request"}\r\nConnection: close\r\n`;
    socket.end(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}
