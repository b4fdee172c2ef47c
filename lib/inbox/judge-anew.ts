import { createHash } from "node:crypto";
import type { Tx } from "#db/client.ts";
import type { SourceKind } from "#db/states.ts";
import { takesType } from "#lib/effects/index.ts";
import { type Judged, judge } from "#lib/receive/judge.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { readAccounts, type SourceAccount } from "#lib/sources/load.ts";
import { readPayload } from "#lib/sources/payload.ts";
import { sourceSettings } from "#lib/sources/settings.ts";

/** A body with the headers that were kept of it. */
export type Content = { body: Buffer; headers: Record<string, string> };

export type JudgedContent = { judged: Judged; bodyDigest: Buffer; retentionDays: number };

/**
 * Identifies a kept content as its source would now, by the receiver's own functions. The source is held, so that its
 * contract and accounts stay what they are until the event is moved. `why`: the content cannot be used.
 */
export async function judgeAnew(
  tx: Tx,
  sourceId: string,
  { body, headers }: Content,
): Promise<{ ok: true; value: JudgedContent } | { ok: false; why: string }> {
  const [source] = await tx<{ kind: SourceKind; contract: unknown; settings: unknown }[]>`
    select kind, contract, settings from sources where id = ${sourceId} for share`;
  const adapter = source && adapterOf(source.kind);
  if (!source || !adapter) return { ok: false, why: "its source is built in" };
  const accounts = await tx<SourceAccount[]>`
    select account, tenant_id as "tenantId", mode, own from source_accounts
    where source_id = ${sourceId} order by account`;
  const header = (name: string) => headers[name] ?? null;
  const parsed = readPayload(adapter, body, header);
  const identified = parsed.ok
    ? adapter.identify({ payload: parsed.value, header, body, contract: source.contract })
    : parsed;
  if (!identified.ok) return { ok: false, why: identified.why };
  const bodyDigest = createHash("sha256").update(body).digest();
  const named = { id: sourceId, kind: source.kind, contract: source.contract, ...readAccounts(accounts) };
  const judged = judge(named, adapter, identified, bodyDigest, takesType);
  const { retentionDays } = sourceSettings.parse(source.settings);
  return { ok: true, value: { judged, bodyDigest, retentionDays } };
}
