import type { AddressInfo } from "node:net";
import { createHttpServer, listen, sendError } from "#app/http-server.ts";
import { matchWebhook, serveWebhook } from "#app/node-request.ts";
import { receiver } from "#app/receiver.ts";

/** The receiver as the web process runs it (WEBHOOK_PORT), without Next beside it: a process that a test can kill. */
const server = createHttpServer(async (request, response) => {
  const source = matchWebhook(request.url);
  if (source !== null) await serveWebhook(receiver(), source, request, response);
  else sendError(response, 404, "not_found", "This port serves webhooks alone.");
}, console.error);
await listen(server, 0, "127.0.0.1");
console.log(`listening on ${(server.address() as AddressInfo).port}`);
