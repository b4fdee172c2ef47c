import type { Mode } from "#db/states.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { baseOfAccount, spellAccount } from "#lib/receive/judge.ts";

export type AccountRequest = { account: string; tenant: string; mode?: Mode; own?: boolean };
export type NormalAccount = { account: string; tenant: string; mode: Mode; own: boolean };

/**
 * Spells a source's accounts as events do (`~test` in test mode) and finds its own one: the only base id, or the one
 * marked `own`; a base may be listed in both modes. Pure.
 */
export function normalizeAccounts(requests: readonly AccountRequest[]): Outcome<NormalAccount[]> {
  const accounts: NormalAccount[] = [];
  for (const request of requests) {
    const base = baseOfAccount(request.account);
    const isTest = base !== request.account;
    if (base === "" || base.includes("~")) {
      return refuse("unacceptable", `Account ${request.account}: ~ is only allowed in the suffix ~test.`);
    }
    if (isTest && request.mode === "live") {
      return refuse(
        "unacceptable",
        `Account ${request.account} is spelled as one in test mode, but its mode is live.`,
      );
    }
    const mode = request.mode ?? (isTest ? "test" : "live");
    const account = spellAccount(base, mode);
    if (accounts.some((other) => other.account === account)) {
      return refuse("unacceptable", `Account ${account} is listed twice.`);
    }
    accounts.push({ account, tenant: request.tenant, mode, own: request.own === true });
  }
  return markOwn(accounts);
}

function markOwn(accounts: NormalAccount[]): Outcome<NormalAccount[]> {
  const bases = basesOf(accounts);
  const marked = bases.length === 1 ? bases : basesOf(accounts.filter(({ own }) => own));
  if (bases.length === 0) return refuse("unacceptable", "A source needs at least one account.");
  if (marked.length !== 1) {
    return refuse(
      "unacceptable",
      "Of several accounts exactly one must be marked as the source's own: events that name no account belong to it.",
    );
  }
  return succeed(
    accounts.map((account) => ({ ...account, own: baseOfAccount(account.account) === marked[0] })),
  );
}

function basesOf(accounts: readonly NormalAccount[]): string[] {
  return [...new Set(accounts.map(({ account }) => baseOfAccount(account)))];
}
