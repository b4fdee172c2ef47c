import { describeProblem, type Problem, withDeadline } from "#lib/console/problem.ts";
import { log } from "#lib/telemetry/log.ts";

export type Loaded<T> = { ok: true; value: T } | { ok: false; problem: Problem };

/** A read for one part of a page: what fails is shown there, and the rest of the page stands. */
export async function load<T>(what: string, work: Promise<T>): Promise<Loaded<T>> {
  try {
    return { ok: true, value: await withDeadline(work) };
  } catch (error) {
    log().error({ err: error, what }, "a part of the console could not be read");
    return { ok: false, problem: describeProblem(error) };
  }
}
