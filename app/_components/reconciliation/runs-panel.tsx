import type { RunItem } from "#lib/api/reads/reconciliations.ts";
import { runBadge } from "#lib/console/reconciliation-words.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Badge } from "../badge.tsx";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { type ReasonAction, ReasonDialog } from "../reason-dialog.tsx";

type Props = { runs: RunItem[]; now: string; cancel: (id: string) => ReasonAction };

export function RunsPanel({ runs, now, cancel }: Props) {
  return (
    <Panel title="Runs" aside="the newest 20">
      {runs.length === 0 ? (
        <Blank title="No run yet">Sources with credentials are swept by themselves.</Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Source</th>
                <th scope="col">By</th>
                <th scope="col">Window</th>
                <th scope="col">Compared</th>
                <th scope="col">Gaps</th>
                <th scope="col">Notes</th>
                <th scope="col" className="num">
                  Asked
                </th>
                <th scope="col">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <Row key={run.id} run={run} now={toMillis(now)} cancel={cancel} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function Row({ run, now, cancel }: { run: RunItem; now: number; cancel: Props["cancel"] }) {
  const isOpen = run.status === "pending" || run.status === "running";
  return (
    <tr>
      <td className="lead">
        <Badge badge={runBadge(run)} />
        {run.phase ? <span className="text-ink-3"> {run.phase}</span> : null}
      </td>
      <td>
        <Id>{run.source}</Id>
      </td>
      <td className="text-ink-2">
        {run.trigger === "sweep" ? "sweep" : <OutsideText>{run.actor}</OutsideText>}
      </td>
      <td className="text-ink-2">
        <Ago at={run.from} now={now} /> to <Ago at={run.to} now={now} />
      </td>
      <td className="num text-ink-2">{`${run.objects} listed, ${run.entries} entries`}</td>
      <td className="num text-ink-2">
        {`${run.gapsFound} found, ${run.gapsRepaired} repaired, ${run.gapsClosed} closed`}
      </td>
      <td className="wide wrap">
        {run.lastError ? (
          <span className="text-bad">
            ! <OutsideText>{run.lastError}</OutsideText>
          </span>
        ) : null}
        {run.warnings.map((warning) => (
          <span key={warning} className="block text-warn">
            ! <OutsideText>{warning}</OutsideText>
          </span>
        ))}
      </td>
      <td className="num when text-ink-2">
        <Ago at={run.createdAt} now={now} />
      </td>
      <td>
        {isOpen ? (
          <ReasonDialog
            word="Cancel…"
            title="Cancel this run"
            confirm="Cancel the run"
            action={cancel(run.id)}
          >
            It ends with its present step. What it repaired stays repaired.
          </ReasonDialog>
        ) : null}
      </td>
    </tr>
  );
}
