import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { type Pulse, sharedPulse } from "#lib/console/pulse.ts";

/** For the frame: null when it cannot be told, to whoever may not know or while the database is away. */
export async function loadPulse(): Promise<Pulse | null> {
  try {
    await requirePage("overview.read");
    return await withDeadline(sharedPulse(readDb()), 3_000);
  } catch {
    return null;
  }
}
