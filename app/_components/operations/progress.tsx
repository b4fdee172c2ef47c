import type { OperationView } from "#lib/api/reads/operations.ts";
import { namedBadge } from "#lib/console/badge.ts";
import { sortVerdicts } from "#lib/console/operation-words.ts";
import { number } from "#lib/console/text.ts";
import { Badge } from "../badge.tsx";

/** How far it is: in figures, and as a bar for those who see one. */
export function Progress({ operation: { settled, count } }: { operation: OperationView }) {
  const percent = count === 0 ? 100 : Math.floor((settled / count) * 100);
  return (
    <span className="progress">
      <span className="num">
        {number(settled)} of {number(count)}
      </span>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect className="whole" width="100" height="4" />
        <rect className="part-done" width={percent} height="4" />
      </svg>
    </span>
  );
}

export function VerdictTotals({ verdicts }: Pick<OperationView, "verdicts">) {
  const totals = sortVerdicts(verdicts);
  if (totals.length === 0) return <span className="text-ink-3">none</span>;
  return (
    <span className="inline-flex flex-wrap gap-x-3 gap-y-1">
      {totals.map(([verdict, items]) => (
        <span key={verdict} className="num whitespace-nowrap">
          {number(items)} <Badge badge={namedBadge(verdict)} />
        </span>
      ))}
    </span>
  );
}
