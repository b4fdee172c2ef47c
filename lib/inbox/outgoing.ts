import { v7 as uuidv7 } from "uuid";
import type { MessageDraft } from "#lib/effects/types.ts";
import type { InboxRow } from "./row.ts";
import type { Settled } from "./write-settlements.ts";

/** A row of outbox_messages as the write takes it; short names, for there is one object per message of a batch. */
export type OutgoingRow = {
  id: string;
  k: string;
  e: string;
  s: string;
  a: string;
  u: string;
  o: string;
  t: string;
  c: string;
  d: string;
  x: MessageDraft["content"];
};

/** The messages that a batch sends, rendered and frozen. */
export function outgoingRows(batch: readonly Settled[]): OutgoingRow[] {
  return batch.flatMap(({ row, verdicts }) =>
    verdicts.flatMap(({ changes }) => (changes.messages ?? []).map((message) => toRow(row, message))),
  );
}

function toRow(row: InboxRow, message: MessageDraft): OutgoingRow {
  const { subject, operation, purpose, destination } = message;
  return {
    id: uuidv7(),
    k: JSON.stringify([row.sourceId, row.account, subject, operation, purpose, destination]),
    e: row.id,
    s: row.sourceId,
    a: row.account,
    u: subject,
    o: operation,
    t: message.topic,
    c: message.channel,
    d: destination,
    x: message.content,
  };
}
