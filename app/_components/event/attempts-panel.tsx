import { namedBadge } from "#lib/console/badge.ts";
import type { AttemptRow } from "#lib/console/event.ts";
import { duration, toMillis } from "#lib/console/time.ts";
import { Badge } from "../badge.tsx";
import { Blank } from "../blank.tsx";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

/** Each try, newest first; none is ever overwritten. */
export function AttemptsPanel({ attempts, zone }: { attempts: AttemptRow[]; zone: string }) {
  return (
    <Panel title="Attempts" aside={attempts.length === 50 ? "the newest 50" : attempts.length}>
      {attempts.length === 0 ? (
        <Blank title="Not tried yet" />
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">Result</th>
                <th scope="col">Started</th>
                <th scope="col">By</th>
                <th scope="col">Why</th>
                <th scope="col" className="num">
                  Took
                </th>
              </tr>
            </thead>
            <tbody>
              {attempts.map((attempt) => (
                <AttemptLine key={attempt.id} attempt={attempt} zone={zone} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function AttemptLine({ attempt, zone }: { attempt: AttemptRow; zone: string }) {
  const took = toMillis(attempt.finishedAt) - toMillis(attempt.startedAt);
  return (
    <tr>
      <td className="lead">
        <Badge badge={namedBadge(attempt.result)} />
      </td>
      <td className="text-ink-2">
        <Clock at={attempt.startedAt} zone={zone} withDay />
      </td>
      <td>
        {attempt.kind === "replay" ? (
          <>
            replay by <OutsideText>{attempt.actor ?? "somebody"}</OutsideText>
          </>
        ) : (
          <span className="text-ink-2">{attempt.worker ?? "worker"}</span>
        )}
      </td>
      <td className="wide text-ink-2">
        {attempt.reason ? (
          <>
            “<OutsideText>{attempt.reason}</OutsideText>”{attempt.why ? ": " : ""}
          </>
        ) : null}
        {attempt.why ? <OutsideText>{attempt.why}</OutsideText> : null}
      </td>
      <td className="num">{duration(took)}</td>
    </tr>
  );
}
