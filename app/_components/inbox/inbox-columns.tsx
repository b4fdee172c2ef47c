import { createColumnHelper, tableFeatures } from "@tanstack/react-table";
import Link from "next/link";
import { CONFLICT_BADGE, inboxBadge } from "#lib/console/badge.ts";
import type { InboxItem } from "#lib/console/inbox-list.ts";
import { eventHref, invoiceHref, isAboutInvoice } from "#lib/console/links.ts";
import { relative, toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Badge } from "../badge.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";

/** A row with the clock that its ages refer to, milliseconds. */
export type InboxTableRow = InboxItem & { now: number };

export const inboxFeatures = tableFeatures({});
const column = createColumnHelper<typeof inboxFeatures, InboxTableRow>();

export const inboxColumns = column.columns([
  column.display({ id: "state", header: "State", cell: ({ row }) => <StateCell item={row.original} /> }),
  column.display({ id: "type", header: "Event type", cell: ({ row }) => <TypeCell item={row.original} /> }),
  column.display({
    id: "subject",
    header: "Subject",
    cell: ({ row }) => <SubjectCell item={row.original} />,
  }),
  column.accessor("sourceId", { id: "source", header: "Source" }),
  column.accessor("account", {
    id: "account",
    header: "Account",
    cell: ({ getValue }) => <Id className="text-ink-3">{getValue()}</Id>,
  }),
  column.display({ id: "why", header: "Why", cell: ({ row }) => <WhyCell item={row.original} /> }),
  column.accessor("attempts", { id: "tries", header: "Tries" }),
  column.accessor("receivedAt", {
    id: "received",
    header: "Received",
    cell: ({ row, getValue }) => <Ago at={getValue()} now={row.original.now} />,
  }),
]);

/** Classes per column; `optional` ones leave a narrow window first. */
export const COLUMN_CLASS: Record<string, string> = {
  state: "lead",
  type: "line",
  account: "optional",
  why: "wide text-ink-2",
  tries: "num optional",
  received: "num when text-ink-2",
};

function StateCell({ item }: { item: InboxTableRow }) {
  return (
    <>
      <Badge badge={inboxBadge(item)} />
      {item.hasConflict ? (
        <>
          {" "}
          <Badge badge={CONFLICT_BADGE} />
        </>
      ) : null}
    </>
  );
}

function TypeCell({ item }: { item: InboxTableRow }) {
  return (
    <Link className="row-link" href={eventHref(item.id)} prefetch={false}>
      <OutsideText>{item.type}</OutsideText>
    </Link>
  );
}

function SubjectCell({ item }: { item: InboxTableRow }) {
  if (item.subject === null) return null;
  const id = <Id>{item.subject}</Id>;
  if (!isAboutInvoice(item)) return id;
  return (
    <Link
      className="above quiet-link"
      href={invoiceHref({ ...item, subject: item.subject })}
      prefetch={false}
    >
      {id}
    </Link>
  );
}

function WhyCell({ item }: { item: InboxTableRow }) {
  const text = item.why ?? item.lastError;
  const next =
    item.status === "pending" && item.attempts > 0 && item.nextAttemptAt
      ? `next try ${relative(toMillis(item.nextAttemptAt), item.now)}`
      : null;
  return (
    <span title={text ?? undefined}>
      {text ? <OutsideText>{text}</OutsideText> : null}
      {text && next ? "; " : null}
      {next}
    </span>
  );
}
