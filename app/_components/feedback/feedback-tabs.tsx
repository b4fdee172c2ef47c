import Link from "next/link";
import { FEEDBACK_STATUSES, type FeedbackStatus } from "#db/states.ts";
import { capped } from "#lib/console/text.ts";

type Props = { counts: Partial<Record<FeedbackStatus, number>>; current: FeedbackStatus | null };

/** All feedback, and one tab per state. */
export function FeedbackTabs({ counts, current }: Props) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const tabs = [
    { key: "all", href: "/feedback", word: "All", count: all, isCurrent: current === null },
    ...FEEDBACK_STATUSES.map((status) => ({
      key: status,
      href: `/feedback?status=${status}`,
      word: status[0]!.toUpperCase() + status.slice(1),
      count: counts[status] ?? 0,
      isCurrent: current === status,
    })),
  ];
  return (
    <nav className="tabs" aria-label="State">
      {tabs.map(({ key, href, word, count, isCurrent }) => (
        <Link key={key} href={href} aria-current={isCurrent ? "page" : undefined} prefetch={false}>
          {word}
          <b>{capped(count)}</b>
        </Link>
      ))}
    </nav>
  );
}
