import type { Tx } from "#db/client.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { loadRow } from "#lib/inbox/claim.ts";
import { replayRow } from "#lib/inbox/replay.ts";
import { lockResolvable } from "#lib/inbox/resolvable.ts";
import { resolveIn } from "#lib/inbox/resolve.ts";
import { inboxFilter } from "./filter.ts";
import { freezeInbox } from "./freeze-inbox.ts";
import type { BulkAction, By, Item, ItemVerdict } from "./types.ts";

const inbox = { asks: "operations.run", filter: inboxFilter, freeze: freezeInbox } as const;

/** Through the same operation as the replay of one event. */
export const replayEvents = {
  ...inbox,
  name: "replay",
  step: 1,
  act: (tx, by, items) => actOnEach(tx, items, (item) => replay(tx, by, item)),
} satisfies BulkAction<typeof inboxFilter>;

export const retryEvents = resolving("retry", "armed");
export const dismissEvents = resolving("dismiss", "dismissed");

function resolving(decision: "retry" | "dismiss", verdict: string): BulkAction<typeof inboxFilter> {
  return {
    ...inbox,
    name: decision,
    step: 50,
    act: (tx, { operation, actor, reason }, items) =>
      actOnEach(tx, items, async ({ eventId }) => {
        const outcome = await resolveIn(tx, actor, { id: eventId!, decision, reason, operation });
        return outcome.ok ? { verdict, why: null } : { verdict: "refused", why: outcome.problem.message };
      }),
  };
}

type Act = (item: Item) => Promise<Omit<ItemVerdict, "ordinal">>;

/** Locks each event without waiting; what changed since it was frozen is skipped. */
async function actOnEach(tx: Tx, items: readonly Item[], act: Act): Promise<ItemVerdict[]> {
  const verdicts: ItemVerdict[] = [];
  for (const item of items) {
    const locked = await lockResolvable(tx, item.eventId!);
    if (locked.is === "busy") continue;
    const { ordinal } = item;
    if (locked.is === "missing") {
      verdicts.push({ ordinal, verdict: "skipped", why: "it is gone" });
      continue;
    }
    const { status, attempts } = locked.event;
    const changed = status !== item.was || attempts !== item.wasAttempts;
    verdicts.push({ ordinal, ...(changed ? skipped(item, status) : await act(item)) });
  }
  return verdicts;
}

const skipped = (item: Item, status: string) => ({
  verdict: "skipped",
  why:
    item.was === status
      ? "it was tried meanwhile"
      : `it was ${item.was} when this was confirmed, and is ${status}`,
});

async function replay(tx: Tx, { operation, actor, reason }: By, { eventId }: Item) {
  const row = (await loadRow(tx, eventId!, false))!;
  const { verdict, why } = await replayRow(tx, row, { actor: actor.name, reason, operation });
  await writeAudit(tx, actor, {
    action: "inbox.replay",
    target: `inbox:${row.id}`,
    reason,
    before: { status: row.status, outcome: row.outcome },
    after: { verdict, operation },
  });
  return { verdict, why };
}
