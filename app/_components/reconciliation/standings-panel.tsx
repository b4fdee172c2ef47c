import Link from "next/link";
import { outageHref, reconciliationHref, type Standing } from "#lib/console/reconciliation.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { Panel } from "../panel.tsx";
import { type ReasonAction, ReasonDialog } from "../reason-dialog.tsx";

export type Compare = (source: string, days: number, repair: boolean) => ReasonAction;
export type RepairAll = (source: string) => ReasonAction;

type Props = { sources: Standing[]; now: string; compare: Compare; repairAll: RepairAll };

/** How far each sender's books were compared, and what is open. */
export function StandingsPanel({ sources, now, compare, repairAll }: Props) {
  return (
    <Panel title="Sources">
      {sources.length === 0 ? (
        <Blank title="No source can be compared">
          Stripe, payments and GitHub senders have lists of their own; the others offer none.
        </Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">Source</th>
                <th scope="col">Last full pass</th>
                <th scope="col">Its window</th>
                <th scope="col">Sweeps</th>
                <th scope="col" className="num">
                  Open gaps
                </th>
                <th scope="col">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sources.map((source) => (
                <Row
                  key={source.id}
                  source={source}
                  now={toMillis(now)}
                  compare={compare}
                  repairAll={repairAll}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

type RowProps = { source: Standing; now: number; compare: Compare; repairAll: RepairAll };

function Row({ source, now, compare, repairAll }: RowProps) {
  const { id, lastFull, everyMinutes, hasCredentials, gaps, repairable, open } = source;
  return (
    <tr>
      <td className="lead">
        <Link className="quiet-link" href={reconciliationHref({ source: id })} prefetch={false}>
          <Id>{id}</Id>
        </Link>
      </td>
      <td data-label="last full pass">
        {lastFull ? <Ago at={lastFull.at} now={now} /> : <span className="text-warn">! never</span>}
      </td>
      <td className="text-ink-2" data-label="of">
        {lastFull ? (
          <>
            <Ago at={lastFull.from} now={now} /> to <Ago at={lastFull.to} now={now} />
          </>
        ) : null}
      </td>
      <td className="text-ink-2">{describeSweeps(hasCredentials, everyMinutes, open)}</td>
      <td className="num" data-label="open gaps">
        {gaps}
      </td>
      <td className="wide wrap">
        {hasCredentials ? (
          <span className="flex flex-wrap gap-2 sm:justify-end">
            <ReasonDialog
              word="Compare…"
              title={`Compare ${id} with its sender`}
              confirm="Compare the last 7 days"
              action={compare(id, 7, false)}
            >
              The sender's list of the last 7 days is compared with receipts, entries and messages. Nothing is
              changed.
            </ReasonDialog>
            {repairable > 0 ? (
              <ReasonDialog
                word={`Repair ${repairable}…`}
                title={`Repair the gaps of ${id}`}
                confirm={`Repair ${repairable}`}
                className="btn main"
                action={repairAll(id)}
              >
                What the sender's books say now is put in as receipts, and goes through the worker. An invoice
                that has its grant gets no second one.
              </ReasonDialog>
            ) : null}
            <Link className="btn" href={outageHref(id)} prefetch={false}>
              After an outage
            </Link>
          </span>
        ) : (
          <Link className="btn" href={`/sources/${encodeURIComponent(id)}`} prefetch={false}>
            Source
          </Link>
        )}
      </td>
    </tr>
  );
}

function describeSweeps(hasCredentials: boolean, everyMinutes: number | null, open: number): string {
  if (!hasCredentials) return "no credentials for the sender's API";
  if (open > 0) return "one is under way";
  return everyMinutes === null ? "only when asked" : `every ${everyMinutes} minutes`;
}
