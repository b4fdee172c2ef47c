import { HttpConnection } from "./http-connection.ts";
import { keepBusy, type LoadSample } from "./load.ts";
import { answerQuestions } from "./peer.ts";
import { SignedRequests } from "./stripe-traffic.ts";

export type LoadOrder = { port: number; path: string; connections: number; seconds: number };

/** The load generator: a process of its own, so that its work never waits for a server's and is seen apart from it. */
answerQuestions({
  async run({ port, path, connections, seconds }: LoadOrder): Promise<LoadSample> {
    const requests = new SignedRequests(path, `127.0.0.1:${port}`);
    const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(port)));
    try {
      return await keepBusy(connections, seconds, async (client) => {
        const status = await open[client]!.send(requests.next());
        if (status !== 200) throw new Error(`${path} answered with status ${status}`);
      });
    } finally {
      for (const connection of open) connection.close();
    }
  },
});
