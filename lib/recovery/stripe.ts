import Stripe from "stripe";
import type { Mode } from "#db/states.ts";
import { CALL_TIMEOUT, reasonOf } from "./call.ts";
import { failureOf, SenderFailure } from "./failure.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { ClientOptions, ListedAccount, Recovery, SenderClient, SenderObject, Window } from "./types.ts";

const DAY = 86_400_000;
const PAGE = 100;

/** Stripe keeps events for 30 days; invoices stay. */
const LISTINGS = [
  { name: "invoices", reach: null },
  { name: "events", reach: 30 * DAY },
] as const;

/**
 * Stripe, through its official library. The invoices are the books; the events are asked for as well, since a repair
 * with the sender's own event has the key of the late webhook, and since an invoice may be older than the lookback.
 */
export const stripe: Recovery = {
  kind: "stripe",
  lists: "objects",
  canRedeliver: false,
  perAccount: true,
  checkBaseUrl(baseUrl) {
    if (baseUrl === null || new URL(baseUrl).pathname === "/") return null;
    return "Stripe's API is at an origin alone: https://host, without a path";
  },
  modeOf: (apiKey) => (/^[rs]k_test_/.test(apiKey) ? "test" : /^[rs]k_live_/.test(apiKey) ? "live" : null),
  open: openStripe,
};

function openStripe(options: ClientOptions): SenderClient {
  const { credentials, allow, lookbackDays } = options;
  const base = new URL(credentials.baseUrl ?? "https://api.stripe.com");
  const library = new Stripe(credentials.apiKey, {
    host: base.hostname,
    port: base.port || (base.protocol === "http:" ? 80 : 443),
    protocol: base.protocol === "http:" ? "http" : "https",
    // A failed call fails the step, which is tried again with what the run knows by then.
    maxNetworkRetries: 0,
    timeout: CALL_TIMEOUT,
    httpClient: Stripe.createFetchHttpClient(createGuardedFetch(allow)),
    telemetry: false,
  });

  async function call<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      throw toFailure(error);
    }
  }

  const as = (account: ListedAccount) => (account === null ? {} : { stripeAccount: account });

  async function listInvoices(account: ListedAccount, window: Window, cursor: string | null) {
    const page = await library.invoices.list(
      {
        status: "paid",
        limit: PAGE,
        // The list knows when an invoice was created, not when it was paid.
        created: { gte: toSeconds(window.from - lookbackDays * DAY), lt: Math.ceil(window.to / 1000) },
        ...(cursor && { starting_after: cursor }),
      },
      as(account),
    );
    const objects = page.data.map((invoice) => toObject(invoice, account));
    return { objects: objects.filter(isWithin(window)), next: nextOf(page) };
  }

  async function listEvents(account: ListedAccount, window: Window, cursor: string | null) {
    const page = await library.events.list(
      {
        types: ["invoice.paid", "invoice.payment_succeeded"],
        limit: PAGE,
        created: { gte: toSeconds(window.from), lt: Math.ceil(window.to / 1000) },
        ...(cursor && { starting_after: cursor }),
      },
      as(account),
    );
    const objects = page.data.flatMap((event) => {
      const { object } = event.data as { object: Stripe.Invoice };
      return object.object === "invoice" && object.id ? [toObject(object, account, event)] : [];
    });
    return { objects: objects.filter(isWithin(window)), next: nextOf(page) };
  }

  return {
    listings: LISTINGS,
    list: (listing, account, window, cursor, signal) =>
      call(signal, () => (listing === "events" ? listEvents : listInvoices)(account, window, cursor)),
    async find(subjects, account, _near, signal) {
      const found = new Map<string, SenderObject>();
      for (const subject of subjects) {
        const invoice = await call(signal, () => retrieve(library, subject, as(account)));
        if (invoice) found.set(subject, toObject(invoice, account));
      }
      return found;
    },
  };
}

async function retrieve(library: Stripe, id: string, options: Stripe.RequestOptions) {
  try {
    return await library.invoices.retrieve(id, {}, options);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return null;
    throw error;
  }
}

const toSeconds = (ms: number) => Math.max(0, Math.floor(ms / 1000));
const isWithin =
  ({ from, to }: Window) =>
  ({ at }: SenderObject) =>
    at >= from && at < to;

function nextOf(page: { has_more: boolean; data: { id?: string }[] }): string | null {
  return page.has_more ? (page.data.at(-1)?.id ?? null) : null;
}

/** Without an event of Stripe's own, the receipt is an event that says what the books say, under a key of its own. */
function toObject(invoice: Stripe.Invoice, account: ListedAccount, event?: Stripe.Event): SenderObject {
  const paidAt = invoice.status_transitions?.paid_at ?? event?.created ?? invoice.created;
  const mode: Mode = invoice.livemode ? "live" : "test";
  const receipt = event ?? {
    id: `reconciliation:${invoice.id}:paid`,
    object: "event",
    api_version: Stripe.API_VERSION ?? null,
    created: paidAt,
    data: { object: invoice },
    livemode: invoice.livemode,
    pending_webhooks: 0,
    request: null,
    type: "invoice.paid",
    ...(account !== null && { account }),
  };
  return {
    account,
    mode,
    subject: invoice.id!,
    at: paidAt * 1000,
    paid: invoice.status === "paid",
    receipt: { body: Buffer.from(JSON.stringify(receipt)), headers: { "content-type": "application/json" } },
  };
}

function toFailure(error: unknown): SenderFailure {
  const own = findOwn(error);
  if (own) return own;
  if (error instanceof Stripe.errors.StripeError) {
    const { statusCode, headers } = error;
    if (statusCode) return failureOf(statusCode, headers?.["retry-after"], Date.now());
    return new SenderFailure(`the sender did not answer (${reasonOf(error)})`, false);
  }
  return new SenderFailure(`the sender's answer cannot be read (${reasonOf(error)})`, false);
}

/** What our own fetch said, however the library wrapped it. */
function findOwn(error: unknown): SenderFailure | null {
  if (error instanceof SenderFailure) return error;
  for (const inner of [(error as { cause?: unknown })?.cause, (error as { detail?: unknown })?.detail])
    if (inner instanceof SenderFailure) return inner;
  return null;
}
