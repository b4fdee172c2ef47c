import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

export type Running = {
  pid: number;
  /** Resolves with the first line of output that matches. */
  until(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Resolves when it has ended, by itself or by a signal. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal?: NodeJS.Signals): Promise<void>;
  output(): string;
};

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts one of our TypeScript files as a process of its own, with a clean set of our variables. */
export function startProcess(
  file: string,
  env: Record<string, string | undefined>,
  args: string[] = [],
): Running {
  const child = spawn(process.execPath, [join(ROOT, file), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let text = "";
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    for (const listener of listeners) listener();
    return { code, signal };
  });
  return {
    pid: child.pid!,
    ended,
    output: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text);
          if (match) resolve(match);
          else if (!running.has(child))
            reject(new Error(`${file} ended before it said ${pattern}:\n${text}`));
          else return;
          listeners.delete(look);
        };
        listeners.add(look);
        look();
      }),
    async kill(signal = "SIGKILL") {
      child.kill(signal);
      await ended;
    },
  };
}
