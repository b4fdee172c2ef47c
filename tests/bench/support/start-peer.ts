import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Lab } from "./lab.ts";

/** A process under measurement. */
export type Peer = {
  pid: number;
  /** Asks it for something by name (see peer.ts); rejects when it ends instead of answering. */
  ask<Answer>(question: string, argument?: unknown): Promise<Answer>;
  stop(): Promise<void>;
};

export type PeerOptions = {
  /** Script, relative to the root of the repository, and its arguments. */
  command: string[];
  env: Record<string, string>;
  cwd?: string;
  /** Ready when this resolves; otherwise when it says so over IPC. */
  isReady?: () => Promise<unknown>;
};

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const START_LIMIT_MS = 60_000;
const END_WITH_PARENT = new URL("./end-with-parent.ts", import.meta.url).href;

/** Starts a process of its own for a contender, so that none shares an event loop or a heap with another. */
export async function startPeer(lab: Lab, options: PeerOptions): Promise<Peer> {
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, ...options.command], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ...options.env },
    detached: true,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  // Only faults are worth reading; what a server prints when it is well would tear the tables apart.
  child.stdout!.resume();
  const exited = once(child, "exit");
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      const kill = setTimeout(() => signalGroup(child), 8_000);
      await exited;
      clearTimeout(kill);
    }
    signalGroup(child);
  };
  lab.onClose(stop);
  const ended = exited.then(([code, signal]) => {
    throw new Error(`${options.command.join(" ")} ended (${code ?? signal})`);
  });
  ended.catch(() => {});
  const ready = options.isReady ? waitFor(options.isReady) : waitForMessage(child);
  await Promise.race([ready, ended]);
  let last = 0;
  return {
    pid: child.pid!,
    stop,
    ask: (question, argument) => {
      const id = ++last;
      const answer = Promise.withResolvers<never>();
      const onMessage = (message: { id?: number; answer?: never; error?: string }) => {
        if (message.id !== id) return;
        child.off("message", onMessage);
        if (message.error === undefined) answer.resolve(message.answer!);
        else answer.reject(new Error(message.error));
      };
      child.on("message", onMessage);
      child.send({ id, question, argument }, (error) => error && answer.reject(error));
      return Promise.race([answer.promise, ended]);
    },
  };
}

function waitForMessage(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("message", (message: { type?: string; message?: string }) => {
      if (message.type === "listening") resolve();
      if (message.type === "failed") reject(new Error(message.message));
    });
  });
}

async function waitFor(isReady: () => Promise<unknown>): Promise<void> {
  for (
    const start = Date.now();
    !(await isReady());
    await new Promise((resolve) => setTimeout(resolve, 100))
  ) {
    if (Date.now() - start > START_LIMIT_MS) throw new Error("a contender was not ready in time");
  }
}

function signalGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
