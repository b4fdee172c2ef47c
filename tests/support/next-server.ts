import { randomBytes } from "node:crypto";
import { request as sendRequest } from "node:http";
import { join } from "node:path";
import type { Sql } from "#db/client.ts";
import { buildConsole } from "#lib/supervise/build-console.ts";
import { createTestDatabase } from "./database.ts";
import { startProcess } from "./processes.ts";
import { findFreePort } from "./running-app.ts";

const ROOT = join(import.meta.dirname, "../..");

export const CONSOLE_TOKEN = "test-console-token-0123456789";
export const ADMIN_TOKEN = "test-admin-token-0123456789";

export type Answer = {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert what is in it
  json: any;
};

export type SendOptions = {
  method?: string;
  /** Sent as JSON; a string or Buffer as it is. */
  body?: unknown;
  headers?: Record<string, string | string[]>;
};

export type WebServer = {
  port: number;
  url: string;
  sql: Sql;
  databaseUrl: string;
  /** With nothing but the given headers, so that a test says everything a client says. */
  send(path: string, options?: SendOptions): Promise<Answer>;
  /** The same with the admin token. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  output(): string;
  stop(): Promise<void>;
};

/** The web process alone, as production runs it, on a database of its own. It is built first where it is not. */
export async function startWebServer(): Promise<WebServer> {
  await buildConsole(ROOT, AbortSignal.timeout(240_000));
  const database = await createTestDatabase();
  const port = await findFreePort();
  const child = startProcess("app/web-server.ts", {
    NODE_ENV: "production",
    DATABASE_URL: database.url,
    PORT: String(port),
    SECRET_KEY: randomBytes(32).toString("base64"),
    ADMIN_TOKEN,
    CONSOLE_TOKEN,
  });
  await child.until(/"msg":"listening"/);
  const send = (path: string, options: SendOptions = {}) => sendTo(port, path, options);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    sql: database.sql,
    databaseUrl: database.url,
    send,
    call: (method, path, body) =>
      send(path, { method, body, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }),
    output: child.output,
    async stop() {
      await child.kill("SIGTERM");
      await database.drop();
    },
  };
}

/** node:http, because fetch neither lets a test set Host nor leaves headers out. */
function sendTo(
  port: number,
  path: string,
  { method = "GET", body, headers = {} }: SendOptions,
): Promise<Answer> {
  const bytes =
    body === undefined
      ? null
      : Buffer.isBuffer(body) || typeof body === "string"
        ? body
        : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        headers: {
          ...(bytes === null
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const isJson = response.headers["content-type"]?.startsWith("application/json");
          resolve({
            status: response.statusCode!,
            headers: response.headers as Record<string, string>,
            text,
            json: isJson ? JSON.parse(text) : null,
          });
        });
      },
    );
    request.on("error", reject);
    request.end(bytes ?? undefined);
  });
}
