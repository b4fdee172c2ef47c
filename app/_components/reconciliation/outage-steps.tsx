import Link from "next/link";
import type { ReactNode } from "react";
import type { RunItem } from "#lib/api/reads/reconciliations.ts";
import type { OutagePage } from "#lib/console/outage.ts";
import { reconciliationHref } from "#lib/console/reconciliation.ts";
import { runBadge } from "#lib/console/reconciliation-words.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Badge } from "../badge.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { type ReasonAction, ReasonDialog } from "../reason-dialog.tsx";
import { TestPanel, type TestState } from "../sources/test-panel.tsx";

type Props = {
  page: OutagePage;
  test: () => Promise<TestState>;
  run: (request: { repair: boolean; redeliver: boolean }) => ReasonAction;
};

/** From "does it receive again?" to "nothing is missing", in the order in which it is done. */
export function OutageSteps({ page, test, run }: Props) {
  const { source, lastDelivery, compared, redelivered, repaired, isDone } = page;
  const now = toMillis(page.now);
  return (
    <ol className="grid grid-cols-1 gap-4" aria-label="Steps">
      <li>
        <p className="text-2 text-ink-2 mb-2">
          1. Does it receive again? It does when the test comes back.{" "}
          {lastDelivery ? (
            <>
              The sender's own last delivery came <Ago at={lastDelivery} now={now} />.
            </>
          ) : (
            "Nothing of the sender's own has come yet."
          )}
        </p>
        <TestPanel action={test} />
      </li>
      <Step title="2. What was missed" run={compared} now={now}>
        <ReasonDialog
          word="Compare…"
          title="Compare with the sender"
          confirm="Compare the last 30 days"
          action={run({ repair: false, redeliver: false })}
        >
          The sender's list of the last 30 days is compared with what is here. Nothing is changed.
        </ReasonDialog>
      </Step>
      {source.canRedeliver ? (
        <Step title="3. Force retries at the sender" run={redelivered} now={now}>
          <ReasonDialog
            word="Ask for redelivery…"
            title="Ask the sender to deliver again"
            confirm="Ask for redelivery"
            action={run({ repair: true, redeliver: true })}
          >
            The sender is asked to deliver what never came, also what it gave up on.
          </ReasonDialog>
        </Step>
      ) : (
        <li>
          <Panel title="3. Force retries at the sender">
            <p className="part text-ink-2">
              This sender cannot be asked through its API. It goes on with its own retries; what it gave up on
              is repaired in the next step.
            </p>
          </Panel>
        </li>
      )}
      <Step title="4. Reconcile" run={repaired} now={now}>
        <ReasonDialog
          word="Reconcile and repair…"
          title="Reconcile and repair"
          confirm="Repair what is missing"
          className="btn main"
          action={run({ repair: true, redeliver: false })}
        >
          What is still missing is put in from the sender's books and goes through the worker. Webhooks that
          come late as well change nothing.
        </ReasonDialog>
      </Step>
      <li>
        <Panel title="5. Done">
          <p className="part" role="status">
            {isDone ? (
              <span className="text-ok">
                ✓ Nothing is missing: the newest pass saw everything, and no gap is open.
              </span>
            ) : (
              <>
                Not yet:{" "}
                <Link className="link" href={reconciliationHref({ source: source.id })} prefetch={false}>
                  {source.gaps === 1 ? "1 gap is open" : `${source.gaps} gaps are open`}
                </Link>
                {source.open > 0 ? ", and a run is under way." : "."}
              </>
            )}
          </p>
        </Panel>
      </li>
    </ol>
  );
}

type StepProps = { title: string; run: RunItem | null; now: number; children: ReactNode };

function Step({ title, run, now, children }: StepProps) {
  return (
    <li>
      <Panel title={title}>
        <div className="part flex flex-wrap items-center gap-3">
          {children}
          {run ? (
            <span className="text-ink-2">
              <Badge badge={runBadge(run)} /> <Ago at={run.createdAt} now={now} />: {run.objects} compared,{" "}
              {run.gapsFound} missing or different, {run.gapsRepaired} repaired, {run.gapsClosed} closed
              {run.lastError ? (
                <>
                  {" "}
                  <OutsideText>{run.lastError}</OutsideText>
                </>
              ) : null}
            </span>
          ) : (
            <span className="text-ink-3">not yet</span>
          )}
        </div>
      </Panel>
    </li>
  );
}
