import type { Sql } from "#db/client.ts";
import type { Mode, SourceKind, SourceStatus } from "#db/states.ts";
import { adapterOf } from "./index.ts";
import { openSecret } from "./secrets.ts";
import { type SourceSettings, sourceSettings } from "./settings.ts";
import type { Secret } from "./types.ts";

export type SourceAccount = { account: string; tenantId: string; mode: Mode; own: boolean };

export type UnusableSecret = { fingerprint: string; why: string };

/** What decides where an event of a source belongs. */
export type SourceAccounts = Pick<LoadedSource, "accounts" | "ownAccount" | "ownBase">;

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
  /** Secrets that are stored and valid in time, and cannot be used all the same. */
  unusableSecrets: UnusableSecret[];
  accounts: ReadonlyMap<string, SourceAccount>;
  /** The account meant by an event that names none: its spelling in the table, and without the mode's suffix. */
  ownAccount: string;
  ownBase: string;
};

/** Loads one source by id, or null. `keys` are SECRET_KEY's bytes, and those of the one before it. */
export async function loadSource(
  sql: Sql,
  id: string,
  keys: Buffer | readonly Buffer[],
): Promise<LoadedSource | null> {
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
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    settings: sourceSettings.parse(row.settings),
    contract: row.contract,
    captures: row.captures,
    ...readSecrets(row.secrets, [keys].flat(), row.kind, row.contract),
    ...readAccounts(row.accounts),
  };
}

const withoutMode = (account: string) => account.replace(/~test$/, "");

/** The own account is the one marked so, or the only one there is (in one mode or both); else events name theirs. */
export function readAccounts(rows: readonly SourceAccount[]): SourceAccounts {
  const onlyOne = new Set(rows.map(({ account }) => withoutMode(account))).size === 1;
  const own = rows.find((account) => account.own) ?? (onlyOne ? rows[0] : undefined);
  const ownAccount = own?.account ?? "own";
  return {
    accounts: new Map(rows.map((account) => [account.account, account])),
    ownAccount,
    ownBase: withoutMode(ownAccount),
  };
}

type SecretRow = { ciphertext: string; keyId: string; fingerprint: string };

/** A secret that is blank, short or damaged is left out here, however it got into the table: anybody could sign with it. */
function readSecrets(
  rows: readonly SecretRow[],
  keys: readonly Buffer[],
  kind: SourceKind,
  contract: unknown,
): Pick<LoadedSource, "secrets" | "unusableSecrets"> {
  const adapter = adapterOf(kind);
  const secrets: Secret[] = [];
  const unusableSecrets: UnusableSecret[] = [];
  for (const { ciphertext, keyId, fingerprint } of rows) {
    const text = openSecret({ ciphertext: Buffer.from(ciphertext, "base64"), keyId }, keys)?.trim();
    const why =
      text === undefined
        ? "it was encrypted under another SECRET_KEY, or is damaged"
        : (adapter?.checkSecret(text, contract) ?? null);
    if (text === undefined || why !== null) unusableSecrets.push({ fingerprint, why: why! });
    else secrets.push({ text, fingerprint });
  }
  return { secrets, unusableSecrets };
}
