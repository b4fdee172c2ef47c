import Link from "next/link";
import { GAP_CLASSES, type GapClass } from "#db/states.ts";
import type { GapItem } from "#lib/api/reads/reconciliations.ts";
import { eventHref, goHref, invoiceHref } from "#lib/console/links.ts";
import { type GapFilter, reconciliationHref } from "#lib/console/reconciliation.ts";
import { GAP_WORDS } from "#lib/console/reconciliation-words.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { type ReasonAction, ReasonDialog } from "../reason-dialog.tsx";

type Actions = { repair: (gap: GapItem) => ReasonAction; dismiss: (gap: GapItem) => ReasonAction };

type Props = Actions & { gaps: GapItem[]; counts: Record<GapClass, number>; filter: GapFilter; now: string };

/** Open gaps by class, each with what can be done about it. */
export function GapsPanel({ gaps, counts, filter, now, repair, dismiss }: Props) {
  const all = GAP_CLASSES.reduce((sum, each) => sum + counts[each], 0);
  return (
    <div>
      <nav className="tabs" aria-label="Gap class">
        <Tab href={reconciliationHref({ ...filter, class: undefined })} on={!filter.class} count={all}>
          All gaps
        </Tab>
        {GAP_CLASSES.map((each) => (
          <Tab
            key={each}
            href={reconciliationHref({ ...filter, class: each })}
            on={filter.class === each}
            count={counts[each]}
          >
            {GAP_WORDS[each].word}
          </Tab>
        ))}
      </nav>
      <section className="panel" aria-label="Open gaps">
        {gaps.length === 0 ? (
          <Blank title="No open gap">
            What a run finds between the sender's books and what is here is listed here until it is gone.
          </Blank>
        ) : (
          <div className="table-wrap">
            <table className="rows">
              <thead>
                <tr>
                  <th scope="col">Gap</th>
                  <th scope="col">What</th>
                  <th scope="col">Why</th>
                  <th scope="col" className="num">
                    Happened
                  </th>
                  <th scope="col">
                    <span className="sr-only">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {gaps.map((gap) => (
                  <Row key={gap.id} gap={gap} now={toMillis(now)} repair={repair} dismiss={dismiss} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
    </div>
  );
}

type TabProps = { href: string; on: boolean; count: number; children: string };

function Tab({ href, on, count, children }: TabProps) {
  return (
    <Link href={href} aria-current={on ? "page" : undefined} prefetch={false}>
      {children} <b>{count}</b>
    </Link>
  );
}

function Row({ gap, now, repair, dismiss }: Actions & { gap: GapItem; now: number }) {
  const { word, advice } = GAP_WORDS[gap.class];
  return (
    <tr>
      <td className="lead font-semibold">{word}</td>
      <td>
        <Link className="quiet-link" href={hrefOf(gap)} prefetch={false}>
          <Id>{gap.subject}</Id>
        </Link>
        <span className="text-ink-3"> {gap.source}</span>
      </td>
      <td className="wide wrap text-ink-2">
        <OutsideText>{gap.why}</OutsideText>
        {gap.repairable ? null : <span className="text-ink-3"> {advice}</span>}
      </td>
      <td className="num when text-ink-2">
        <Ago at={gap.happenedAt} now={now} />
      </td>
      <td className="wide">
        <span className="flex gap-2 sm:justify-end">
          {gap.repairable ? (
            <ReasonDialog
              word="Repair…"
              title="Repair this gap"
              confirm="Repair"
              className="btn main"
              action={repair(gap)}
            >
              The sender is asked again, and what its books say now is put in. Late or repeated webhooks of
              the same invoice stay without a second effect.
            </ReasonDialog>
          ) : null}
          <ReasonDialog word="Dismiss…" title="Dismiss this gap" confirm="Dismiss" action={dismiss(gap)}>
            It is closed with your reason and stays so, also when a later run finds it again.
          </ReasonDialog>
        </span>
      </td>
    </tr>
  );
}

/** An invoice has its trace; a delivery that never came, or a receipt, is looked for by its id. */
function hrefOf({ source, account, subject, class: what, event }: GapItem): string {
  if (event) return eventHref(event);
  return what === "no_receipt" ? goHref(subject) : invoiceHref({ sourceId: source, account, subject });
}
