import { log } from "#lib/telemetry/log.ts";
import { type ChildMessage, startChild } from "./child.ts";
import { keepRunning, type Member } from "./keep-running.ts";
import type { ProcessEvents, ProcessName } from "./process-events.ts";

export type Members = {
  worker: Member;
  /** Resolves when the web server first listens; rejects when it says that it never will. */
  listening: Promise<void>;
  stop(graceMs: number): Promise<void>;
};

export type MembersOptions = { root: string; dev: boolean; events: ProcessEvents; env: NodeJS.ProcessEnv };

/** A reason that a child gives for not starting; the message is for the operator. */
export class StartError extends Error {
  override name = "StartError";
}

/** Web server and worker, each started again whenever it dies. */
export async function startMembers({ root, dev, events, env }: MembersOptions): Promise<Members> {
  const listening = Promise.withResolvers<void>();
  listening.promise.catch(() => {}); // Whoever waits for it hears of it; nobody may be waiting yet.

  function start(name: Exclude<ProcessName, "database">, file: string, args: string[]): Promise<Member> {
    const childEnv = {
      ...env,
      COUNTERFOIL_PROCESS: name,
      NODE_ENV: dev ? "development" : "production",
    } as const;
    const onMessage = (message: ChildMessage) => {
      if (message.type === "failed") listening.reject(new StartError(message.message));
      else if (name === "web") listening.resolve();
    };
    return keepRunning({
      start: () => startChild({ file, args, cwd: root, env: childEnv, onMessage }),
      onDied: (exit, pid) => events.died(name, exit, pid),
      onRestarted: (pid) => events.restarted(name, pid),
      onFailed: (error) => log().error({ err: error, child: name }, `${name} could not be started again`),
    });
  }

  const worker = await start("worker", "worker/main.ts", []);
  const web = await start("web", "app/web-server.ts", dev ? ["--dev"] : []);
  return {
    worker,
    listening: listening.promise,
    async stop(graceMs) {
      await Promise.all([web.stop(graceMs), worker.stop(graceMs)]);
    },
  };
}
