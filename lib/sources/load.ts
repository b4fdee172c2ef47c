import type { Sql } from "#db/client.ts";
import type { Mode, SourceKind, SourceStatus } from "#db/states.ts";
import { decryptSecret } from "./secrets.ts";
import { type SourceSettings, sourceSettings } from "./settings.ts";
import type { Secret } from "./types.ts";

export type SourceAccount = { account: string; tenantId: string; mode: Mode; own: boolean };

/** A source ready to receive: secrets decrypted and valid at the time of loading, settings complete. */
export type LoadedSource = {
  id: string;
  kind: SourceKind;
  status: SourceStatus;
  settings: SourceSettings;
  contract: unknown;
  /** Requests that cannot be verified are to be kept for inspection. */
  captures: boolean;
  /** Newest first; empty when none is usable, and the source then answers 503. */
  secrets: Secret[];
  accounts: ReadonlyMap<string, SourceAccount>;
  /** The account meant by an event that names none: its spelling in the table, and without the mode's suffix. */
  ownAccount: string;
  ownBase: string;
};

/** Loads one source by id, or null. `key` is SECRET_KEY's bytes. */
export async function loadSource(sql: Sql, id: string, key: Buffer): Promise<LoadedSource | null> {
  const [row] = await sql`
    select s.id, s.kind, s.status, s.settings, s.contract, coalesce(s.capture_until > now(), false) as captures,
      (select coalesce(json_agg(json_build_object(
          'ciphertext', encode(x.ciphertext, 'base64'), 'keyId', x.key_id, 'fingerprint', x.fingerprint)
          order by x.expires_at desc nulls first, x.created_at desc), '[]')
        from source_secrets x where x.source_id = s.id and (x.expires_at is null or x.expires_at > now())) as secrets,
      (select coalesce(json_agg(json_build_object(
          'account', a.account, 'tenantId', a.tenant_id, 'mode', a.mode, 'own', a.own) order by a.account), '[]')
        from source_accounts a where a.source_id = s.id) as accounts
    from sources s where s.id = ${id}`;
  if (!row) return null;
  const accounts = row.accounts as SourceAccount[];
  const own = accounts.find((account) => account.own) ?? accounts[0];
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    settings: sourceSettings.parse(row.settings),
    contract: row.contract,
    captures: row.captures,
    secrets: usableSecrets(row.secrets, key),
    accounts: new Map(accounts.map((account) => [account.account, account])),
    ownAccount: own?.account ?? "own",
    ownBase: (own?.account ?? "own").replace(/~test$/, ""),
  };
}

type SecretRow = { ciphertext: string; keyId: string; fingerprint: string };

function usableSecrets(rows: SecretRow[], key: Buffer): Secret[] {
  return rows.flatMap((row) => {
    const text = decryptSecret({ ciphertext: Buffer.from(row.ciphertext, "base64"), keyId: row.keyId }, key);
    return text ? [{ text, fingerprint: row.fingerprint }] : [];
  });
}
