import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedServer, startEmbedded } from "#db/embedded.ts";

export type SupervisedServer = { port: number; url: string; dataDir: string; stop(): Promise<void> };

/**
 * A real PostgreSQL on loopback that comes back after every death, as a supervised one would: the rounds
 * kill its postmaster by pid and expect the driver to find the next one on the same port.
 */
export async function startSupervisedServer(): Promise<SupervisedServer> {
  const parent = await mkdtemp(join(tmpdir(), "counterfoil-driver-"));
  let stopping = false;
  let current = start(false);

  async function start(keepPort: boolean): Promise<EmbeddedServer> {
    const server = await startEmbedded({ dataDir: parent, keepPort });
    void server.exited.then(() => {
      if (!stopping) current = start(true);
    });
    return server;
  }

  const first = await current;
  const url = new URL(first.url);
  url.pathname = "/postgres";
  return {
    port: first.port,
    url: url.href,
    dataDir: join(parent, "postgres"),
    async stop() {
      stopping = true;
      await (await current).stop();
      await rm(parent, { recursive: true, force: true });
    },
  };
}
