import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { Sql, Tx } from "#db/client.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import type { SourceKind } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { insertReceipts } from "#lib/receive/insert-receipts.ts";
import type { Receipt } from "#lib/receive/types.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";
import { MANUAL_SOURCE } from "#lib/sources/manual.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import { continueTrace } from "#lib/telemetry/trace-context.ts";
import { writeAudit } from "./audit.ts";
import { Undo } from "./undo.ts";

export type Correction = {
  workspace: string;
  /** Event id and subject: the same key is the same correction. */
  key: string;
  /** Credits, signed, not 0. */
  amount: number;
  reason: string;
};

export type CorrectionResult = { status: "accepted" | "duplicate"; event: string };

export const CORRECTION_TYPE = "credit.correction";

/**
 * Takes a person's correction of a balance as an event of the built-in source: it goes through the same worker and the
 * same keys as everything else, and is audited with its receipt. The same key with other content is a conflict.
 */
export async function correctCredits(
  sql: Sql,
  actor: Actor,
  correction: Correction,
): Promise<Outcome<CorrectionResult>> {
  return await Undo.catch(() => repeatOnConflict(() => sql.begin((tx) => store(tx, actor, correction))));
}

async function store(tx: Tx, actor: Actor, correction: Correction): Promise<Outcome<CorrectionResult>> {
  const { workspace, key, amount, reason } = correction;
  const [found] = await tx<{ tenant: string }[]>`
    select tenant_id as tenant from workspaces where id = ${workspace} for share`;
  if (!found) return refuse("not_found", "There is no such workspace.");
  await ensureAccount(tx, found.tenant);
  const receipt = toReceipt(correction, found.tenant);
  const id = uuidv7();
  const created = await insertReceipts(tx, [{ id, receipt }]);
  if (!created.has(id)) return await compare(tx, receipt);
  const after = { key, amount, event: id };
  await writeAudit(tx, actor, {
    action: "workspace.correct",
    target: `workspace:${workspace}`,
    reason,
    before: null,
    after,
  });
  await tx`select pg_notify(${INBOX_CHANNEL}, '')`;
  return succeed({ status: "accepted", event: id });
}

/** The source comes into being with the first correction, and a tenant's account with the tenant's first. */
async function ensureAccount(tx: Tx, tenant: string): Promise<void> {
  await tx`
    insert into sources (id, kind, name) values (${MANUAL_SOURCE}, 'manual', 'Corrections by hand')
    on conflict do nothing`;
  const [source] = await tx<{ kind: SourceKind }[]>`select kind from sources where id = ${MANUAL_SOURCE}`;
  if (source?.kind !== "manual")
    Undo.unless(
      refuse("conflict", `The source ${MANUAL_SOURCE} is one of a sender's: give that another id.`),
    );
  await tx`
    insert into source_accounts (source_id, account, tenant_id, mode)
    values (${MANUAL_SOURCE}, ${tenant}, ${tenant}, ${modeOf(tenant)}) on conflict do nothing`;
}

/** An account in test mode is known by its spelling, so a tenant that is spelled like one has one. */
const modeOf = (tenant: string) => (tenant.endsWith("~test") ? "test" : "live");

function toReceipt({ workspace, key, amount, reason }: Correction, tenant: string): Receipt {
  const body = Buffer.from(JSON.stringify({ workspace, amount, reason }));
  const digest = createHash("sha256").update(body).digest();
  return {
    sourceId: MANUAL_SOURCE,
    account: tenant,
    eventId: key,
    type: CORRECTION_TYPE,
    mode: modeOf(tenant),
    subject: key,
    apiVersion: null,
    contentDigest: digest,
    bodyDigest: digest,
    body,
    headers: {},
    secretFingerprint: null,
    trace: continueTrace(null),
    parentTrace: null,
    origin: "manual",
    retentionDays: sourceSettings.parse({}).retentionDays,
    guardsBody: false,
    state: { status: "pending" },
  };
}

/** In a statement of its own: the insert's snapshot cannot see the twin that it waited for. */
async function compare(
  tx: Tx,
  { sourceId, account, eventId, contentDigest }: Receipt,
): Promise<Outcome<CorrectionResult>> {
  const [first] = await tx<{ id: string; same: boolean; status: string }[]>`
    select id, content_digest = ${contentDigest} as same, status from inbox_events
    where source_id = ${sourceId} and account = ${account} and event_id = ${eventId}`;
  if (first!.same) return succeed({ status: "duplicate", event: first!.id });
  return refuse(
    "conflict",
    `The key ${eventId} was used for another correction, ${first!.id}.`,
    first!.status,
  );
}
