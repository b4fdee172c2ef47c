import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Sql } from "#db/client.ts";
import { isAnyDueAlone, rescueClaims } from "#lib/inbox/rescue.ts";
import { type Running, startChild } from "#lib/supervise/child.ts";
import { log } from "#lib/telemetry/log.ts";

/** Milliseconds between two looks at who is gone and what is due. */
const LOOK_EVERY = 1_000;

export type Suspects = { stop(): Promise<void> };

/**
 * Looks after rows at which a worker died, and keeps a child process at work on those that are due: one that kills its
 * process once more does it there, and the worker goes on. The first look is over when this resolves, so that rows
 * which just killed this worker's predecessor are not claimed with others again.
 */
export async function startSuspects(sql: Sql, workerId: string): Promise<Suspects> {
  let stopping = false;
  let child: Running | undefined;
  let watching: Promise<void> | undefined;

  async function look(): Promise<void> {
    try {
      const rescued = await rescueClaims(sql, workerId);
      if (rescued.suspects + rescued.crashed > 0) log().warn(rescued, "rows of a worker that is gone");
      if (!watching && !stopping && (await isAnyDueAlone(sql))) watching = workAlone();
    } catch (error) {
      log().warn({ err: error }, "cannot look after workers that are gone");
    }
  }

  async function workAlone(): Promise<void> {
    const id = randomUUID();
    try {
      child = await startChild({
        file: join(import.meta.dirname, "alone.ts"),
        args: [id],
        cwd: process.cwd(),
        env: process.env,
      });
      const exit = await child.exited;
      child = undefined;
      if (exit.code !== 0 && !stopping) {
        log().error({ ...exit }, "the process died that was at work on one row alone");
        await sql`update workers set stopped_at = now() where id = ${id} and stopped_at is null`;
      }
    } catch (error) {
      log().error({ err: error }, "no process for rows that have to be worked alone");
    }
    watching = undefined;
  }

  let looking: Promise<void> | undefined;
  const lookOnce = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  await lookOnce();
  const timer = setInterval(lookOnce, LOOK_EVERY);
  return {
    async stop() {
      stopping = true;
      clearInterval(timer);
      await looking;
      await child?.stop(4_000);
      await watching;
    },
  };
}
