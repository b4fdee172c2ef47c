import type { Executor } from "#lib/executor.ts";
import { type Check, VIOLATIONS_SHOWN } from "./check.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Compares uuids that senders were given in a 2xx with what is stored: every acknowledged event must be there. */
export async function checkAcks(sql: Executor, acks: readonly string[]): Promise<Check> {
  const distinct = [...new Set(acks.map((ack) => ack.trim().toLowerCase()))];
  const uuids = distinct.filter((ack) => UUID.test(ack));
  const missing = await sql<{ ack: string }[]>`
    select ack::text from unnest(${uuids}::uuid[]) as ack
    where not exists (select from inbox_events event where event.id = ack) order by ack`;
  const violations = [
    ...distinct
      .filter((ack) => !UUID.test(ack))
      .map((ack) => ({ ack: ack.slice(0, 100), problem: "not a uuid" })),
    ...missing.map(({ ack }) => ({ ack, problem: "not stored" })),
  ];
  return {
    name: "acknowledged_events_are_stored",
    rule: `Every acknowledged event is stored (${distinct.length} were compared).`,
    ok: violations.length === 0,
    count: violations.length,
    violations: violations.slice(0, VIOLATIONS_SHOWN),
  };
}
