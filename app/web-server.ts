import type { Server } from "node:http";
import { join } from "node:path";
import next from "next";
import { env } from "#lib/env.ts";
import type { ChildMessage } from "#lib/supervise/child.ts";
import { onStop } from "#lib/supervise/on-stop.ts";
import { startHeartbeat } from "#lib/telemetry/heartbeat.ts";
import { log } from "#lib/telemetry/log.ts";
import { startTracing, stopTracing } from "#lib/telemetry/tracing.ts";
import { closePools, db } from "./db.ts";
import { closeServer, createHttpServer, type Handler, listen, sendError } from "./http-server.ts";
import { markRequest } from "./mark-request.ts";
import { isDecodable, matchWebhook, serveWebhook } from "./node-request.ts";
import { closeReceiver, receiver } from "./receiver.ts";

/** The web process: the receiver in front, Next.js for everything else. */
const GRACE_MS = 5_000;

process.env.COUNTERFOIL_PROCESS ??= "web";
const dev = process.argv.includes("--dev");
const { PORT, HOST, WEBHOOK_PORT } = env();
const onError = (error: unknown) => log().error({ err: error }, "a request failed");

/** Through Next the receiver makes a tenth of the requests a second; in development Next reloads it. */
const serveAll: Handler = async (request, response) => {
  const source = dev ? null : matchWebhook(request.url);
  if (source !== null) return serveWebhook(receiver(), source, request, response);
  if (!isDecodable(request.url)) return sendError(response, 400, "bad_request", "The address is not valid.");
  markRequest(request);
  // This path promised the client nothing yet; Next reads bodies without asking.
  if (request.headers.expect) response.writeContinue();
  return handleNext(request, response);
};

const serveReceiver: Handler = async (request, response) => {
  const source = matchWebhook(request.url);
  if (source !== null) await serveWebhook(receiver(), source, request, response);
  else sendError(response, 404, "not_found", "This port serves webhooks alone.");
};

const server = createHttpServer(serveAll, onError);
const app = next({
  dev,
  dir: join(import.meta.dirname, ".."),
  hostname: HOST,
  port: PORT,
  httpServer: server,
});
const handleNext = app.getRequestHandler();
const servers: Server[] = [server];

await Promise.all([app.prepare(), startTracing()]);
try {
  await listen(server, PORT, HOST);
  if (WEBHOOK_PORT) {
    const second = createHttpServer(serveReceiver, onError);
    await listen(second, WEBHOOK_PORT, HOST);
    servers.push(second);
  }
} catch (error) {
  await fail(describeListenError(error as NodeJS.ErrnoException & { port?: number }));
}
const heartbeat = startHeartbeat(db(), "web");
onStop(async () => {
  await Promise.all(servers.map((each) => closeServer(each, GRACE_MS)));
  await app.close();
  await closeReceiver();
  await Promise.all([heartbeat.stop(), stopTracing()]);
  await closePools();
}, GRACE_MS + 1_500);
log().info({ host: HOST, port: PORT, webhookPort: WEBHOOK_PORT }, "listening");
tell({ type: "listening" });

function tell(message: ChildMessage): Promise<void> {
  return new Promise((done) => {
    if (process.send) process.send(message, () => done());
    else done();
  });
}

async function fail(message: string): Promise<never> {
  log().fatal(message);
  await tell({ type: "failed", message });
  process.exit(1);
}

function describeListenError(error: NodeJS.ErrnoException & { port?: number }): string {
  const name = error.port === WEBHOOK_PORT ? "WEBHOOK_PORT" : "PORT";
  switch (error.code) {
    case "EADDRINUSE":
      return `${name}: something else listens on ${HOST}:${error.port} already. Stop it, or set another ${name}.`;
    case "EACCES":
      return `${name}: this account may not listen on port ${error.port}. Set a ${name} of 1024 or above.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST: ${HOST} is not an address of this machine.`;
    default:
      return `The web server cannot listen on ${HOST}:${error.port ?? PORT}: ${error.message}`;
  }
}
