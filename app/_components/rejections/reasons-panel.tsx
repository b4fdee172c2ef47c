import Link from "next/link";
import type { RejectionCount, RejectionFilter } from "#lib/api/reads/list-rejections.ts";
import { REJECTION_WORDS } from "#lib/console/rejection-words.ts";
import { rejectionsHref } from "#lib/console/rejections.ts";
import { number } from "#lib/console/text.ts";
import { Blank } from "../blank.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

/** Everything that was turned away in the last day, counted; each line leads to its samples. */
export function ReasonsPanel({ counts, filter }: { counts: RejectionCount[]; filter: RejectionFilter }) {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <Panel title="Last 24 hours" aside={number(total)}>
      {counts.length === 0 ? (
        <Blank title="Nothing was turned away">Every request in the last 24 h was taken.</Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">Source</th>
                <th scope="col">Reason</th>
                <th scope="col" className="num">
                  Requests
                </th>
              </tr>
            </thead>
            <tbody>
              {counts.map((each) => (
                <CountRow key={`${each.source} ${each.reason}`} each={each} filter={filter} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function CountRow({ each, filter }: { each: RejectionCount; filter: RejectionFilter }) {
  const { source, reason, count } = each;
  // Sources that do not exist are counted under one name; their samples have the names that were asked for.
  const target: RejectionFilter = reason === "unknown_source" ? { reason } : { source, reason };
  const isShown = filter.reason === reason && filter.source === target.source;
  return (
    <tr className="open-row">
      <td className="lead">
        <OutsideText>{source}</OutsideText>
      </td>
      <td className="line">
        <Link
          className="row-link"
          href={rejectionsHref(target)}
          prefetch={false}
          aria-current={isShown ? "true" : undefined}
        >
          {REJECTION_WORDS[reason].word}
        </Link>
      </td>
      <td className="num when">{number(count)}</td>
    </tr>
  );
}
