import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { sharedPulse } from "#lib/console/pulse.ts";

export const dynamic = "force-dynamic";

/** What an open page asks every few seconds; shared between all of them. */
export async function GET(): Promise<Response> {
  await requirePage("overview.read");
  try {
    return Response.json(await withDeadline(sharedPulse(readDb()), 4_000), {
      headers: { "cache-control": "no-store" },
    });
  } catch {
    return Response.json(
      { error: { code: "unavailable", message: "The database does not answer." } },
      { status: 503 },
    );
  }
}
