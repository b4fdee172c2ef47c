import type { Mode, SourceKind, SourceStatus } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import type { CredentialsView } from "#lib/sources/credentials.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { type SourceSettings, sourceSettings } from "#lib/sources/settings.ts";
import type { Readiness } from "#lib/sources/types.ts";

/** A secret as it may be shown: which one it is, not what it is. Times are PostgreSQL's text. */
export type SecretView = {
  fingerprint: string;
  createdAt: string;
  ageSeconds: number;
  expiresAt: string | null;
  expired: boolean;
};

export type SourceView = {
  id: string;
  kind: SourceKind;
  name: string;
  status: SourceStatus;
  accounts: { account: string; tenant: string; mode: Mode; own: boolean }[];
  secrets: SecretView[];
  /** For calls to the sender's own API; null where there are none. */
  credentials: CredentialsView | null;
  contract: unknown;
  settings: SourceSettings;
  readiness: Readiness;
  /** End of the capture that is on; null when none is. */
  captureUntil: string | null;
  createdAt: string;
  updatedAt: string;
};

export async function describeSource(sql: Executor, id: string): Promise<SourceView | null> {
  const [row] = await sql.unsafe(`${SELECT} where source.id = $1`, [id], { prepare: true });
  return row ? toView(row) : null;
}

/** Those that somebody can send to: the built-in one has nothing to set up. */
export async function listSources(sql: Executor): Promise<SourceView[]> {
  const rows = await sql.unsafe(`${SELECT} where source.kind <> 'manual' order by source.id`, [], {
    prepare: true,
  });
  return rows.map(toView);
}

function toView(row: Record<string, unknown>): SourceView {
  const view = row as Omit<SourceView, "readiness">;
  const readiness: Readiness = adapterOf(view.kind)?.readiness?.(view.contract) ?? { state: "ready" };
  return { ...view, settings: sourceSettings.parse(view.settings), readiness };
}

const SELECT = `
select source.id, source.kind, source.name, source.status, source.contract, source.settings,
  case when source.capture_until > now() then source.capture_until end as "captureUntil",
  source.created_at as "createdAt", source.updated_at as "updatedAt",
  (select coalesce(json_agg(json_build_object(
      'account', account, 'tenant', tenant_id, 'mode', mode, 'own', own) order by account), '[]')
    from source_accounts where source_id = source.id) as accounts,
  (select coalesce(json_agg(json_build_object(
      'fingerprint', fingerprint, 'createdAt', created_at, 'expiresAt', expires_at,
      'ageSeconds', floor(extract(epoch from now() - created_at))::bigint,
      'expired', coalesce(expires_at <= now(), false))
      order by expires_at desc nulls first, created_at desc, id desc), '[]')
    from source_secrets where source_id = source.id) as secrets,
  (select json_build_object('fingerprint', fingerprint, 'baseUrl', base_url, 'updatedAt', updated_at)
    from source_credentials where source_id = source.id) as credentials
from sources source`;

/** What an audit entry keeps of a source: everything that a change can change, fingerprints in place of secrets. */
export function summarizeSource(view: SourceView | null): unknown {
  if (!view) return null;
  const { kind, name, status, accounts, contract, settings } = view;
  const secrets = view.secrets.map(({ fingerprint, expiresAt }) => ({ fingerprint, expiresAt }));
  return { kind, name, status, accounts, contract, settings, secrets };
}
