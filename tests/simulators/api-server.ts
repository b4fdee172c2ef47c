import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SimClock } from "./clock.ts";
import { createFaults, type Faults, fault } from "./faults.ts";

export type ApiCall = {
  method: string;
  path: string;
  query: URLSearchParams;
  header(name: string): string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a simulator takes what it is sent
  body: any;
};

export type ApiAnswer = { status: number; body: unknown; headers?: Record<string, string> };

export type ApiServer = {
  url: string;
  port: number;
  /** Calls of the sender's API so far, without those of /_control. */
  calls: { method: string; path: string }[];
  stop(): Promise<void>;
};

export type ApiServerOptions = {
  clock: SimClock;
  faults: Faults;
  /** The sender's own API. Null: no such path. */
  answer(call: ApiCall): Promise<ApiAnswer | null> | ApiAnswer | null;
  /** Commands that this simulator takes over HTTP besides faults and time: POST /_control/{name}. */
  control?: Record<string, (body: ApiCall["body"]) => unknown>;
  /** The sender's shape of an error. */
  toError(status: number): unknown;
  port?: number;
};

/** One HTTP server on loopback: the sender's API under faults, and /_control for whoever plays the sender. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const calls: ApiServer["calls"] = [];
  const server = createServer((request, response) => {
    void handle(options, calls, request, response).catch((error: Error) => {
      if (!response.headersSent) send(response, { status: 500, body: { error: error.message } });
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  options: ApiServerOptions,
  calls: ApiServer["calls"],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url!, "http://sender.example");
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const call: ApiCall = {
    method: request.method!,
    path: url.pathname,
    query: url.searchParams,
    header: (name) => {
      const value = request.headers[name];
      return typeof value === "string" ? value : null;
    },
    body: text.startsWith("{") ? JSON.parse(text) : null,
  };
  if (call.path.startsWith("/_control/")) return send(response, await answerControl(options, call));
  calls.push({ method: call.method, path: call.path });
  const limit = options.faults.take("rate_limit");
  if (limit) {
    const headers = { "retry-after": String(limit.retryAfter) };
    return send(response, { status: 429, body: options.toError(429), headers });
  }
  const broken = options.faults.take("server_error");
  if (broken) return send(response, { status: broken.status, body: options.toError(broken.status) });
  const answer = (await options.answer(call)) ?? { status: 404, body: options.toError(404) };
  if (options.faults.take("cut")) {
    const json = JSON.stringify(answer.body);
    response.writeHead(answer.status, { "content-length": json.length, "content-type": "application/json" });
    response.write(json.slice(0, json.length / 2));
    response.destroy();
    return;
  }
  send(response, answer);
}

async function answerControl({ clock, faults, control = {} }: ApiServerOptions, call: ApiCall) {
  const name = call.path.slice("/_control/".length);
  if (name === "faults" && call.method === "GET") return { status: 200, body: faults.list() };
  if (name === "faults") {
    const parsed = fault.safeParse(call.body);
    if (!parsed.success) return { status: 400, body: { error: parsed.error.message } };
    faults.add(parsed.data);
    return { status: 200, body: faults.list() };
  }
  if (name === "advance") {
    await clock.advance(Number(call.body?.ms ?? 0));
    return { status: 200, body: { now: clock.now() } };
  }
  const command = control[name];
  if (!command) return { status: 404, body: { error: "no such command" } };
  return { status: 200, body: (await command(call.body)) ?? {} };
}

function send(response: ServerResponse, { status, body, headers }: ApiAnswer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export type SimulatorOptions = {
  /** Where its webhooks go; null: nowhere. */
  target: string | null;
  clock: SimClock;
  /** TCP port of its API; default: any free one. */
  port?: number;
};

export { createFaults };
