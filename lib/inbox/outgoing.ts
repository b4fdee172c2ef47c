import { v7 as uuidv7 } from "uuid";
import type { NoticeBody } from "#lib/channels/notice.ts";
import type { IntentDraft, MessageDraft } from "#lib/effects/types.ts";
import type { InboxRow } from "./row.ts";
import { alertKey } from "./write-changes.ts";
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
  /** The destination's id; left out: the built-in e-mail. */
  di?: string;
  x: Record<string, string>;
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

/** What subscribers of a topic are to be told, complete: whose it is, what its operation key is made of, and the notice. */
export type Intent = {
  source: string;
  account: string;
  subject: string;
  operation: string;
  purpose: string;
  tenant: string | null;
  event: string;
  notice: NoticeBody;
};

/** The intents of a batch, for every destination that subscribes. `alertIds` are those of makeAlertIds. */
export function intentsOf(batch: readonly Settled[], alertIds: ReadonlyMap<string, string>): Intent[] {
  return batch.flatMap(({ row, verdicts }) =>
    verdicts.flatMap(({ changes }) => (changes.intents ?? []).map((draft) => toIntent(row, draft, alertIds))),
  );
}

function toIntent(row: InboxRow, draft: IntentDraft, alertIds: ReadonlyMap<string, string>): Intent {
  const { subject, operation, purpose } = draft;
  return {
    source: row.sourceId,
    account: row.account,
    subject,
    operation,
    purpose,
    tenant: row.tenantId,
    event: row.id,
    notice: completeNotice(row, draft, alertIds),
  };
}

/** An alert's uuid is known only here: it is made for the write. */
function completeNotice(
  row: InboxRow,
  draft: IntentDraft,
  alertIds: ReadonlyMap<string, string>,
): NoticeBody {
  if (draft.topic !== "feedback.alert") return { topic: draft.topic, data: draft.data } as NoticeBody;
  const alert = alertIds.get(alertKey(row.id, draft.data.feedback, draft.data.operation));
  if (!alert) throw new Error("an intent tells of an alert that is not made");
  return { topic: draft.topic, data: { ...draft.data, alert } };
}
