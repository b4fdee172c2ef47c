import { hash } from "node:crypto";
import type { LoadedSource, SourceAccounts } from "#lib/sources/load.ts";
import type { Identification, Identity, SourceAdapter } from "#lib/sources/types.ts";
import type { Receipt } from "./types.ts";

export type Judged = Pick<
  Receipt,
  | "account"
  | "eventId"
  | "type"
  | "mode"
  | "subject"
  | "apiVersion"
  | "contentDigest"
  | "guardsBody"
  | "state"
>;

/** What of a source decides. */
export type JudgedSource = SourceAccounts & Pick<LoadedSource, "id" | "kind" | "contract">;

const TEST_SUFFIX = "~test";

export const spellAccount = (base: string, mode: "live" | "test") =>
  mode === "test" ? base + TEST_SUFFIX : base;
export const baseOfAccount = (account: string) => account.replace(/~test$/, "");

/**
 * Decides under which key and in which state an authentic delivery is kept. Pure.
 * `takes` says whether any effect handles a type from this kind of source.
 */
export function judge(
  source: JudgedSource,
  adapter: Pick<SourceAdapter, "idIsUnsigned">,
  identified: Identification,
  bodyDigest: Buffer,
  takes: (kind: LoadedSource["kind"], type: string, contract: unknown) => boolean,
): Judged {
  if (!identified.ok) return judgeUnusable(source, identified.why, bodyDigest);
  const { identity } = identified;
  const account = spellAccount(identity.account ?? source.ownBase, identity.mode);
  return {
    account,
    eventId: identity.eventId,
    type: identity.type,
    mode: identity.mode,
    subject: identity.subject,
    apiVersion: identity.apiVersion,
    contentDigest: digestContent(identity.content),
    guardsBody: identity.idIsUnsigned ?? adapter.idIsUnsigned ?? false,
    state: stateFor(source, account, identity, takes),
  };
}

function stateFor(
  source: JudgedSource,
  account: string,
  identity: Identity,
  takes: (kind: LoadedSource["kind"], type: string, contract: unknown) => boolean,
): Receipt["state"] {
  // Before the account: that it is configured later must not release what nobody has confirmed.
  if (identity.waits) {
    return {
      status: "waiting",
      waitsKind: identity.waits.kind,
      waitsKey: source.id,
      why: identity.waits.why,
    };
  }
  if (!source.accounts.has(account)) {
    const base = baseOfAccount(account);
    const otherMode = account === base ? base + TEST_SUFFIX : base;
    if (source.accounts.has(otherMode)) return { status: "ignored", why: "wrong mode" };
    return {
      status: "waiting",
      waitsKind: "account",
      waitsKey: account,
      why: `account ${account} is not configured on this source`,
    };
  }
  if (!takes(source.kind, identity.type, source.contract))
    return { status: "ignored", why: "no effect takes this type" };
  return { status: "pending" };
}

/** Kept under a key derived from the bytes: the sender's retry of the same bytes is the same row. */
function judgeUnusable(source: JudgedSource, why: string, bodyDigest: Buffer): Judged {
  const account = source.ownAccount;
  return {
    account,
    eventId: `body:${bodyDigest.toString("hex")}`,
    type: "unreadable",
    mode: account.endsWith(TEST_SUFFIX) ? "test" : "live",
    subject: null,
    apiVersion: null,
    contentDigest: bodyDigest,
    guardsBody: false,
    state: { status: "quarantined", why },
  };
}

/** JSON of the list is unambiguous: no value can run into its neighbour. */
function digestContent(content: readonly (string | null)[]): Buffer {
  return hash("sha256", JSON.stringify(content), "buffer");
}
