"use client";

import { useRouter } from "next/navigation";
import { Suspense, use } from "react";
import { COUNT_CAP, capped, countOf } from "#lib/console/text.ts";
import { BulkButton, type BulkWords } from "../bulk/bulk-button.tsx";
import type { Selection } from "./use-selection.ts";

const ACTIONS: BulkWords[] = [
  {
    action: "dismiss",
    verb: "Dismiss",
    effect: "Each is closed for good, unless it is done. Contents, attempts and the reason stay on record.",
  },
  {
    action: "retry",
    verb: "Retry",
    effect: "Each begins a new round of tries, where it failed or waits. Live events do not wait for them.",
  },
  {
    action: "replay",
    verb: "Replay",
    effect: "Each goes through the same decision as when it came. What is there already is not done twice.",
  },
];

type Props = {
  selection: Selection;
  page: number;
  /** The list's filter for all that match; null where that would be everything. */
  filter: Record<string, unknown> | null;
  /** How many match, up to the cap; null where counting took too long. */
  matching: Promise<number | null>;
};

/** What is picked, and what can be done with it. */
export function PickedBar({ selection, page, filter, matching }: Props) {
  const router = useRouter();
  const { ids, all } = selection;
  const covered = all && filter ? filter : { ids };
  const onStarted = () => {
    selection.clear();
    router.refresh();
  };
  return (
    <section className="picked" aria-label="Picked rows">
      <span role="status">
        <Suspense fallback="All that match">
          <Picked all={all} count={ids.length} matching={matching} />
        </Suspense>
        <span className="text-ink-3">. Updates are paused meanwhile.</span>
      </span>
      <span className="flex flex-wrap gap-2">
        {all || ids.length < page ? (
          <button type="button" className="chip" onClick={selection.pickPage}>
            Just this page
          </button>
        ) : null}
        {!all && filter ? (
          <button type="button" className="chip" onClick={selection.pickAll}>
            <Suspense fallback="Select all that match">
              <SelectAll matching={matching} />
            </Suspense>
          </button>
        ) : null}
        <button type="button" className="chip" onClick={selection.clear}>
          None
        </button>
      </span>
      <span className="grow" />
      {ACTIONS.map((words) => (
        <Suspense key={words.action} fallback={null}>
          <Action
            words={words}
            filter={covered}
            count={all ? null : ids.length}
            matching={matching}
            onStarted={onStarted}
          />
        </Suspense>
      ))}
    </section>
  );
}

function Picked({ all, count, matching }: { all: boolean; count: number; matching: Promise<number | null> }) {
  if (!all) return `${countOf(count, "row")} picked on this page`;
  const total = use(matching);
  return total === null ? "All that match are picked" : `All ${capped(total)} that match are picked`;
}

function SelectAll({ matching }: { matching: Promise<number | null> }) {
  const total = use(matching);
  return total === null ? "Select all that match" : `Select all ${capped(total)} that match`;
}

type ActionProps = {
  words: BulkWords;
  filter: Record<string, unknown>;
  /** Null: as many as match. */
  count: number | null;
  matching: Promise<number | null>;
  onStarted: () => void;
};

function Action({ words, filter, count, matching, onStarted }: ActionProps) {
  const total = count ?? use(matching);
  const what = total === null || total > COUNT_CAP ? "all that match" : countOf(total, "event");
  return (
    <BulkButton
      words={words}
      what={what}
      filter={filter}
      main={words.action === "replay"}
      onStarted={onStarted}
    />
  );
}
