import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { matchWebhook, serveWebhook } from "#app/node-request.ts";
import { receiver } from "#app/receiver.ts";

/** The receiver as the web process runs it, without Next behind it: a process that a test can kill. */
const server = createServer((request, response) => {
  void serveWebhook(receiver(), matchWebhook(request.url) ?? "", request, response);
});
server.listen(0, "127.0.0.1", () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
