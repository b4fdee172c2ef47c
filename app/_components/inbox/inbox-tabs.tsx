import Link from "next/link";
import type { TabCounts } from "#lib/console/inbox-counts.ts";
import { TAB_WORDS, TABS, type Tab } from "#lib/console/inbox-filter.ts";
import { capped } from "#lib/console/text.ts";
import { PendingWord } from "../pending-word.tsx";

type Props = { current: Tab; counts: TabCounts | null; hrefs: Record<Tab, string> };

/** One tab per state, with what the other filters leave of it. */
export function InboxTabs({ current, counts, hrefs }: Props) {
  return (
    <nav className="tabs" aria-label="State">
      {TABS.map((tab) => (
        <Link
          key={tab}
          href={hrefs[tab]}
          aria-current={tab === current ? "page" : undefined}
          prefetch={false}
        >
          <PendingWord>{TAB_WORDS[tab]}</PendingWord>
          <Count count={counts?.[tab]} />
        </Link>
      ))}
    </nav>
  );
}

function Count({ count }: { count: number | null | undefined }) {
  if (count === undefined) return <b aria-hidden="true">…</b>;
  if (count === null) return <b title="Counting took too long">?</b>;
  return <b>{capped(count)}</b>;
}
