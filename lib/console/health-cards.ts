import type { InboxStatus } from "#db/states.ts";
import { type Health, type Heap, LOOKED_AT } from "./overview.ts";
import { COUNT_CAP, capped, countOf } from "./text.ts";
import { duration } from "./time.ts";

export type Card = { label: string; figure: string; detail: string; href: string; alarm: boolean };

/** What is due for longer than this is not being processed: milliseconds. */
const LIMIT = 60_000;

/** The overview's figures from the heaps of unfinished rows. Pure. */
export function healthCards({ heaps, conflicts, now }: Pick<Health, "heaps" | "conflicts" | "now">): Card[] {
  const of = (status: InboxStatus) => heaps.filter((heap) => heap.status === status);
  const pending = of("pending");
  const failed = of("failed");
  const waiting = of("waiting");
  const quarantined = sum(of("quarantined"));
  const list = (status: string) => `/inbox?status=${status}&range=all`;
  return [
    oldestCard(pending, now),
    {
      label: "Pending",
      figure: count(sum(pending)),
      detail: pendingDetail(pending),
      href: list("pending"),
      alarm: false,
    },
    {
      label: "Failed, to look at",
      figure: count(sum(failed)),
      detail: failed.length === 0 ? "nothing failed" : countOf(causes(failed), "cause"),
      href: list("failed"),
      alarm: sum(failed) > 0,
    },
    {
      label: "Waiting",
      figure: count(sum(waiting)),
      detail: waiting.length === 0 ? "for nothing" : `for ${byCause(waiting)}`,
      href: list("waiting"),
      alarm: false,
    },
    {
      label: "Quarantined and conflicts",
      figure: count(quarantined + conflicts),
      detail: `${capped(quarantined)} quarantined, ${countOf(conflicts, "conflict")}`,
      href: list("quarantined"),
      alarm: false,
    },
  ];
}

/** Alarmed by what is due and not done. A paused source holds its rows on purpose. */
function oldestCard(pending: Heap[], now: number): Card {
  const base = { label: "Oldest pending", href: "/inbox?status=pending&range=all" };
  const first = least(pending, (heap) => heap.oldestAt);
  if (!first) return { ...base, figure: "none", detail: "everything is processed", alarm: false };
  const due = least(
    pending.filter((heap) => !heap.held && heap.dueAt !== null),
    (heap) => heap.dueAt!,
  );
  const overdue = due ? now - due.dueAt! : 0;
  const alarm = overdue > LIMIT;
  return {
    ...base,
    figure: duration(Math.max(1_000, now - first.oldestAt)).replace(/\.\d s$/, " s"),
    detail: alarm ? `limit ${duration(LIMIT)}, ${due!.sourceId}` : (held(first) ?? first.sourceId),
    alarm,
  };
}

const held = (heap: Heap) => (heap.held ? `${heap.sourceId} is paused` : null);

function pendingDetail(pending: Heap[]): string {
  const retrying = sum(pending.filter((heap) => heap.retrying));
  const paused = sum(pending.filter((heap) => heap.held));
  if (retrying > 0) return `${count(retrying)} to be tried again`;
  return paused > 0 ? `${count(paused)} held by a pause` : "none tried before";
}

function byCause(heaps: Heap[]): string {
  const names = { link: "a link", account: "an account", contract: "a contract", event: "an earlier event" };
  const found = [...new Set(heaps.map((heap) => heap.cause))];
  return found.map((cause) => names[cause as keyof typeof names] ?? String(cause)).join(", ");
}

const causes = (heaps: Heap[]) => new Set(heaps.map((heap) => `${heap.sourceId} ${heap.cause}`)).size;
const sum = (heaps: Heap[]) => heaps.reduce((total, heap) => total + heap.count, 0);
const count = (rows: number) => (rows >= LOOKED_AT ? `${capped(COUNT_CAP + 1)}` : capped(rows));

function least<T>(items: T[], value: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => (best && value(best) <= value(item) ? best : item),
    undefined,
  );
}
