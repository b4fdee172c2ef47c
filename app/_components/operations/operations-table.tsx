import Link from "next/link";
import type { OperationView } from "#lib/api/reads/operations.ts";
import { operationHref } from "#lib/console/links.ts";
import { operationBadge, operationTitle } from "#lib/console/operation-words.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Badge } from "../badge.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Progress, VerdictTotals } from "./progress.tsx";

type Props = { items: OperationView[]; now: string };

export function OperationsTable({ items, now }: Props) {
  return (
    <div className="table-wrap">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">What</th>
            <th scope="col">By, why, and of what</th>
            <th scope="col">Progress</th>
            <th scope="col">Verdicts</th>
            <th scope="col" className="num">
              Asked for
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((operation) => (
            <Row key={operation.id} operation={operation} now={toMillis(now)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ operation, now }: { operation: OperationView; now: number }) {
  return (
    <tr className="open-row">
      <td className="lead">
        <Badge badge={operationBadge(operation)} />
      </td>
      <td className="line">
        <Link className="row-link" href={operationHref(operation.id)} prefetch={false}>
          {operationTitle(operation)}
        </Link>
      </td>
      <td className="wide wrap text-ink-2">
        <span className="block text-ink">
          <OutsideText>{operation.actor}</OutsideText>: “<OutsideText>{operation.reason}</OutsideText>”
        </span>
        <span className="block text-1">
          <OutsideText>{operation.filterWords ?? ""}</OutsideText>
        </span>
      </td>
      <td>
        <Progress operation={operation} />
      </td>
      <td className="totals">
        <VerdictTotals verdicts={operation.verdicts} />
      </td>
      <td className="num when text-ink-2">
        <Ago at={operation.createdAt} now={now} />
      </td>
    </tr>
  );
}
