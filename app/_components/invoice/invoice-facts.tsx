import Link from "next/link";
import { workspaceHref } from "#lib/console/links.ts";
import { number } from "#lib/console/text.ts";
import type { InvoiceTrace } from "#lib/trace/types.ts";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";

type Props = { trace: InvoiceTrace; balance: string | null; amount: string | null; grants: number };

/** What support asks first, in one place. */
export function InvoiceFacts({ trace, balance, amount, grants }: Props) {
  const { workspace } = trace;
  return (
    <section className="panel" aria-label="Facts">
      <dl className="facts">
        <dt>Workspace</dt>
        <dd>
          {workspace ? (
            <Link className="link" href={workspaceHref(workspace.id)}>
              <OutsideText>{workspace.name}</OutsideText>
            </Link>
          ) : (
            <span className="text-ink-3">none yet</span>
          )}
        </dd>
        {balance === null ? null : (
          <>
            <dt>Its balance</dt>
            <dd className="num">{number(BigInt(balance))} credits</dd>
          </>
        )}
        <dt>Amount</dt>
        <dd className="num">{amount ?? <span className="text-ink-3">not known</span>}</dd>
        <dt>Source</dt>
        <dd>{trace.source}</dd>
        <dt>Account</dt>
        <dd>
          <Id>{trace.account}</Id>
        </dd>
        <dt>Mode</dt>
        <dd>{trace.mode ?? "not known"}</dd>
        <dt>Grants</dt>
        <dd className="num">{grants} of 1</dd>
      </dl>
    </section>
  );
}
