import Stripe from "stripe";
import { SenderFailure } from "#lib/recovery/failure.ts";
import type { Credentials } from "#lib/sources/credentials.ts";

export type Fetched =
  | { kind: "fetched"; status: string; customer: string | null }
  /** Trying again soon may help; `error` is one sentence without payload. */
  | { kind: "failed"; error: string }
  /** It will not help until something changes: a mark, or the credentials. */
  | { kind: "refused"; error: string };

/** Milliseconds: a good deal less than a lease lasts. */
const TIMEOUT = 20_000;

export type FetchRequest = {
  credentials: Credentials;
  /** The connected account; null is the credentials' own. */
  account: string | null;
  mode: "live" | "test";
  subscription: string;
  fetch: typeof fetch;
};

/** Asks Stripe for a subscription, through its official library. Never throws. */
export async function fetchSubscription(request: FetchRequest): Promise<Fetched> {
  const { credentials, account, mode, subscription } = request;
  const keyMode = /^[rs]k_(test|live)_/.exec(credentials.apiKey)?.[1];
  if (keyMode && keyMode !== mode) {
    return { kind: "refused", error: `the API key is of ${keyMode} mode, and this is of ${mode} mode` };
  }
  try {
    const found = await open(request).subscriptions.retrieve(
      subscription,
      {},
      account === null ? {} : { stripeAccount: account },
    );
    const customer = typeof found.customer === "string" ? found.customer : (found.customer?.id ?? null);
    if (found.id !== subscription || typeof found.status !== "string")
      return { kind: "failed", error: "the answer is not about this subscription" };
    return { kind: "fetched", status: found.status, customer };
  } catch (error) {
    return toFailure(error);
  }
}

function open({ credentials, fetch }: FetchRequest): Stripe {
  const base = new URL(credentials.baseUrl ?? "https://api.stripe.com");
  return new Stripe(credentials.apiKey, {
    host: base.hostname,
    port: base.port || (base.protocol === "http:" ? 80 : 443),
    protocol: base.protocol === "http:" ? "http" : "https",
    maxNetworkRetries: 0,
    timeout: TIMEOUT,
    httpClient: Stripe.createFetchHttpClient(fetch),
    telemetry: false,
  });
}

/** The library's messages can carry parts of a key; its type and status say enough. */
function toFailure(error: unknown): Fetched {
  for (let at = error; at instanceof Error; at = (at as { detail?: unknown }).detail ?? at.cause)
    if (at instanceof SenderFailure) return { kind: "failed", error: at.message };
  if (!(error instanceof Stripe.errors.StripeError))
    return { kind: "failed", error: "the sender could not be asked" };
  const { statusCode } = error;
  if (statusCode === 404) return { kind: "refused", error: "the sender does not know this subscription" };
  if (statusCode === 401 || statusCode === 403)
    return { kind: "failed", error: `the sender refuses the API key (${statusCode})` };
  return {
    kind: "failed",
    error: statusCode ? `the sender answered ${statusCode}` : "the sender could not be reached",
  };
}
