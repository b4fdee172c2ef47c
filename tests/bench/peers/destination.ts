import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerQuestions } from "../support/peer.ts";

/** Where the messages go: reads each request, and answers after so many milliseconds. It counts what it got, by id. */
const delay = Number(process.env.DELAY_MS);
let requests = 0;
let ids = new Set<string>();

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    requests++;
    ids.add(String(request.headers["webhook-id"]));
    setTimeout(() => response.writeHead(204).end(), delay);
  });
});
// Nothing here is about connections that a server closes while they are idle.
server.keepAliveTimeout = 60_000;
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));

answerQuestions({
  port: async () => (server.address() as AddressInfo).port,
  /** What came since it was last asked. */
  async count() {
    const counted = { requests, distinct: ids.size };
    requests = 0;
    ids = new Set();
    return counted;
  },
});
