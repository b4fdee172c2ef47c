import { createHash } from "node:crypto";
import { takesType } from "#lib/effects/index.ts";
import type { JsonValue } from "#lib/json.ts";
import { type Judged, judge, spellAccount } from "#lib/receive/judge.ts";
import type { Receipt } from "#lib/receive/types.ts";
import type { Recovery, SenderObject } from "#lib/recovery/types.ts";
import type { LoadedSource } from "#lib/sources/load.ts";
import { readPayload } from "#lib/sources/payload.ts";
import type { SourceAdapter } from "#lib/sources/types.ts";
import { continueTrace } from "#lib/telemetry/trace-context.ts";

/** A thing of the sender's list under the key that its receipt has here. */
export type Candidate = {
  object: SenderObject;
  /** As spelled in source_accounts, with its mode. */
  account: string;
  subject: string;
  judged: Judged | null;
  payload: JsonValue | null;
};

export type Reading = { ok: true; candidate: Candidate } | { ok: false; why: string };

/** The account of an object as source_accounts spells it. */
export function spellAccountOf(source: LoadedSource, { account, mode }: SenderObject): string {
  return spellAccount(account ?? source.ownBase, mode);
}

/** Reads an object through the source's adapter, as the receiver would read its delivery. Pure. */
export function readObject(
  source: LoadedSource,
  adapter: SourceAdapter,
  recovery: Pick<Recovery, "lists">,
  object: SenderObject,
): Reading {
  const spelled = spellAccountOf(source, object);
  if (!object.receipt || recovery.lists === "deliveries")
    return {
      ok: true,
      candidate: { object, account: spelled, subject: object.subject, judged: null, payload: null },
    };
  const { body, headers } = object.receipt;
  const header = (name: string) => headers[name] ?? null;
  const parsed = readPayload(adapter, body, header);
  if (!parsed.ok) return parsed;
  const identified = adapter.identify({ payload: parsed.value, header, body, contract: source.contract });
  if (!identified.ok) return identified;
  const digest = createHash("sha256").update(body).digest();
  const judged = judge(source, adapter, identified, digest, takesType);
  const subject = judged.subject ?? object.subject;
  return { ok: true, candidate: { object, account: judged.account, subject, judged, payload: parsed.value } };
}

/** The receipt that a repair puts in: its business key, and with it its effect, is the late webhook's. */
export function toReceipt(source: LoadedSource, candidate: Candidate): Receipt | null {
  const { judged, object } = candidate;
  if (!judged || !object.receipt) return null;
  return {
    ...judged,
    sourceId: source.id,
    bodyDigest: createHash("sha256").update(object.receipt.body).digest(),
    body: object.receipt.body,
    headers: object.receipt.headers,
    secretFingerprint: null,
    trace: continueTrace(null),
    parentTrace: null,
    origin: "reconciliation",
    retentionDays: source.settings.retentionDays,
  };
}
