import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "#db/embedded.ts";

export type TestServer = { adminUrl: string; dataDir: string; pid: number; stop(): Promise<void> };

/** A PostgreSQL of our own in a temporary directory; gone after stop(), and also when the test run is killed. */
export async function startTestServer(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "counterfoil-test-"));
  const server = await startEmbedded({ dataDir });
  const watchdog = watchOver(server.pid, dataDir);
  const admin = new URL(server.url);
  admin.pathname = "/postgres";
  return {
    adminUrl: admin.href,
    dataDir,
    pid: server.pid,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
      watchdog.kill("SIGKILL");
    },
  };
}

/** Its input closes when we die, however that happens; a killed test run would leave the server behind. */
function watchOver(pid: number, dataDir: string) {
  const script = 'read -r _; kill -INT "$0" 2>/dev/null; sleep 3; kill -KILL "$0" 2>/dev/null; rm -rf "$1"';
  const child = spawn("/bin/sh", ["-c", script, String(pid), dataDir], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}
