import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { closedPort } from "./http-peer.ts";

/** Whether the system has a nats-server on its PATH (or NATS_SERVER names one): suites that need it are skipped without. */
export const natsServer: string | null = (() => {
  for (const binary of [process.env.NATS_SERVER, "nats-server"]) {
    try {
      if (!binary) continue;
      execFileSync(binary, ["--version"], { stdio: "ignore" });
      return binary;
    } catch {}
  }
  return null;
})();

/** A real nats-server with JetStream, on a free port, with its store in a directory of its own. */
export async function startNatsPeer(config = "") {
  const directory = mkdtempSync(join(tmpdir(), "counterfoil-nats-"));
  const port = await closedPort();
  const file = join(directory, "server.conf");
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${join(directory, "store")}" }\n${config}\n`,
  );
  let child = await launch(file, port);
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    /** Stops answering without closing a connection. */
    freeze: () => child.kill("SIGSTOP"),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
    async restart() {
      child = await launch(file, port);
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function launch(file: string, port: number): Promise<ChildProcess> {
  const child = spawn(natsServer!, ["-c", file], { stdio: "ignore" });
  for (let tries = 0; tries < 100; tries++) {
    if (await listens(port)) return child;
    await sleep(50);
  }
  child.kill("SIGKILL");
  throw new Error("nats-server did not start");
}

function listens(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connectTcp(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      done(true);
    });
    socket.once("error", () => done(false));
  });
}
