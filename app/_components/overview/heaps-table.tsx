import Link from "next/link";
import { CONFLICT_BADGE, namedBadge } from "#lib/console/badge.ts";
import { eventHref } from "#lib/console/links.ts";
import type { ConflictHeap, Health, Heap } from "#lib/console/overview.ts";
import { capped } from "#lib/console/text.ts";
import { duration } from "#lib/console/time.ts";
import { Badge } from "../badge.tsx";
import { Blank } from "../blank.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

const CAUSES: Record<string, string> = {
  invalid: "cannot be used as it came",
  exhausted: "ran out of tries",
  mismatch: "contradicts what is there",
  poison: "made its worker die",
  link: "for a customer link",
  account: "for an account to be configured",
  contract: "for the contract to be confirmed",
  event: "for an earlier event",
};

/** What does not move by itself, or was tried in vain, in heaps of one source and one cause. */
export function HeapsTable({ health: { heaps, conflictHeaps, now } }: { health: Health }) {
  const shown = heaps
    .filter((heap) => heap.status !== "pending" || heap.retrying || isHeld(heap))
    .slice(0, 12);
  const isQuiet = shown.length === 0 && conflictHeaps.length === 0;
  return (
    <Panel title="What needs a look" aside={isQuiet ? undefined : "with the newest as an example"}>
      {isQuiet ? (
        <Blank title="Nothing needs anybody">
          No event failed, waits, or is tried again, and no content is in conflict.
        </Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Source</th>
                <th scope="col">Cause, and an example</th>
                <th scope="col" className="num">
                  Oldest
                </th>
                <th scope="col" className="num">
                  Rows
                </th>
                <th scope="col">
                  <span className="sr-only">Open</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {conflictHeaps.map((heap) => (
                <ConflictRow key={heap.sourceId} heap={heap} now={now} />
              ))}
              {shown.map((heap) => (
                <HeapRow
                  key={`${heap.sourceId} ${heap.status} ${heap.cause} ${heap.retrying}`}
                  heap={heap}
                  now={now}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/** A paused source holds what is pending; what failed or waits would not move either way. */
const isHeld = (heap: Heap) => heap.held && heap.status === "pending";

function ConflictRow({ heap, now }: { heap: ConflictHeap; now: number }) {
  return (
    <tr>
      <td className="lead">
        <Badge badge={CONFLICT_BADGE} />
      </td>
      <td>{heap.sourceId}</td>
      <td className="wide text-ink-2">
        <span className="text-ink">other content came under an accepted id</span>:{" "}
        <Link className="link" href={eventHref(heap.sampleId)}>
          compare both
        </Link>
      </td>
      <td className="num text-ink-2" data-label="oldest">
        {duration(now - heap.oldestAt)}
      </td>
      <td className="num" data-label="rows">
        {capped(heap.count)}
      </td>
      <td className="num">
        <Link className="link" href={`/inbox?status=quarantined&source=${heap.sourceId}&range=all`}>
          Open<span className="sr-only"> conflicts of {heap.sourceId}</span>
        </Link>
      </td>
    </tr>
  );
}

function HeapRow({ heap, now }: { heap: Heap; now: number }) {
  const badge = heap.retrying
    ? { tone: "warn" as const, glyph: "↻", word: "retrying" }
    : isHeld(heap)
      ? { tone: "wait" as const, glyph: "‖", word: "held" }
      : namedBadge(heap.status);
  const cause = isHeld(heap) ? "the source is paused" : CAUSES[heap.cause ?? ""];
  return (
    <tr>
      <td className="lead">
        <Badge badge={badge} />
      </td>
      <td>{heap.sourceId}</td>
      <td className="wide text-ink-2">
        {cause ? <span className="text-ink">{cause}</span> : null}
        {cause && heap.sampleWhy ? ": " : null}
        {heap.sampleWhy ? <OutsideText>{heap.sampleWhy}</OutsideText> : null}
      </td>
      <td className="num text-ink-2" data-label="oldest">
        {duration(now - heap.oldestAt)}
      </td>
      <td className="num" data-label="rows">
        {capped(heap.count)}
      </td>
      <td className="num">
        <Link className="link" href={`/inbox?status=${heap.status}&source=${heap.sourceId}&range=all`}>
          Open
          <span className="sr-only">
            {" "}
            {heap.status} rows of {heap.sourceId}
          </span>
        </Link>
      </td>
    </tr>
  );
}
