import type { OperationView } from "#lib/api/reads/operations.ts";
import { number } from "#lib/console/text.ts";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { VerdictTotals } from "./progress.tsx";

/** What was asked for, confirmed and done. */
export function OperationFacts({ operation, zone }: { operation: OperationView; zone: string }) {
  const { actor, reason, filterWords, count, settled, status, cancelledBy } = operation;
  const left = count - settled;
  return (
    <section className="panel" aria-label="Facts">
      <dl className="contract">
        <div>
          <dt>By</dt>
          <dd>
            <OutsideText>{actor}</OutsideText>, <Clock at={operation.createdAt} zone={zone} withDay />
          </dd>
        </div>
        <div>
          <dt>Reason</dt>
          <dd>
            <OutsideText>{reason}</OutsideText>
          </dd>
        </div>
        <div>
          <dt>Frozen filter</dt>
          <dd>
            <OutsideText>{filterWords ?? "one event"}</OutsideText>
          </dd>
        </div>
        <div>
          <dt>Confirmed</dt>
          <dd className="num">{number(count)}</dd>
        </div>
        <div>
          <dt>Verdicts</dt>
          <dd>
            <VerdictTotals verdicts={operation.verdicts} />
          </dd>
        </div>
        {status === "cancelled" || status === "undone" ? (
          <div>
            <dt>{status === "undone" ? "Undone by" : "Cancelled by"}</dt>
            <dd>
              <OutsideText>{cancelledBy ?? "somebody"}</OutsideText>
              {left > 0 ? `; ${number(left)} left alone` : ""}
            </dd>
          </div>
        ) : null}
        {operation.finishedAt ? (
          <div>
            <dt>Ended</dt>
            <dd>
              <Clock at={operation.finishedAt} zone={zone} withDay />
            </dd>
          </div>
        ) : null}
      </dl>
    </section>
  );
}
