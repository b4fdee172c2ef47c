"use client";

import { useQueryStates } from "nuqs";
import { useTransition } from "react";
import { filterParsers } from "#app/(console)/inbox/search-params.ts";
import { effectiveRange, RANGE_WORDS, RANGES, type Range } from "#lib/console/inbox-filter.ts";
import { revealPlain, shortId } from "#lib/console/text.ts";
import { FacetInput } from "./facet-input.tsx";

type Props = { sources: { id: string; name: string }[] };

/** The filters, which live in the address: a filtered list is a link. Changing one goes back to the newest rows. */
export function InboxFilters({ sources }: Props) {
  const [busy, startTransition] = useTransition();
  const [filter, setFilter] = useQueryStates(filterParsers, {
    shallow: false,
    startTransition,
    history: "push",
  });
  const change = (values: Partial<typeof filter>) => setFilter({ ...values, before: null, after: null });
  const narrowed =
    filter.source || filter.type || filter.account || filter.subject || filter.q || filter.range;
  return (
    <search className="facets" aria-label="Filters" aria-busy={busy}>
      <FacetInput
        label="Event id, row id or subject"
        className="field flex-1 min-w-[220px]"
        value={filter.q}
        onChange={(q) => change({ q })}
      />
      <FacetInput
        label="Type, or invoice.*"
        className="field w-[168px] max-phone:flex-1"
        value={filter.type}
        onChange={(type) => change({ type })}
      />
      <select
        className={filter.source ? "chip on" : "chip"}
        aria-label="Source"
        value={filter.source ?? ""}
        onChange={(event) => change({ source: event.target.value || null })}
      >
        <option value="">every source</option>
        {sources.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <select
        className={filter.range ? "chip on" : "chip"}
        aria-label="Time range"
        value={effectiveRange(filter)}
        onChange={(event) => change({ range: event.target.value as Range })}
      >
        {RANGES.map((range) => (
          <option key={range} value={range}>
            {RANGE_WORDS[range]}
          </option>
        ))}
      </select>
      {(["account", "subject"] as const).map((key) =>
        filter[key] ? (
          <button key={key} type="button" className="chip on" onClick={() => change({ [key]: null })}>
            {key} {revealPlain(shortId(filter[key]))} <span aria-hidden="true">×</span>
            <span className="sr-only">, remove</span>
          </button>
        ) : null,
      )}
      {narrowed ? (
        <button type="button" className="chip" onClick={() => setFilter(NOTHING)}>
          Clear
        </button>
      ) : null}
    </search>
  );
}

const NOTHING = {
  source: null,
  type: null,
  account: null,
  subject: null,
  q: null,
  range: null,
  before: null,
  after: null,
};
