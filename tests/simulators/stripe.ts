import { randomBytes } from "node:crypto";
import Stripe from "stripe";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";
import { type ApiAnswer, type ApiCall, type SimulatorOptions, startApiServer } from "./api-server.ts";
import { createDeliveries } from "./deliveries.ts";
import { createFaults } from "./faults.ts";

type Json = Record<string, unknown>;
type Kept = { object: Json; account: string | null; at: number; visibleAt: number };

export type StripeOptions = SimulatorOptions & {
  apiKey: string;
  /** The endpoint's signing secret. */
  secret: string;
};

export type PayOptions = {
  id?: string;
  customer: string;
  amount?: number;
  currency?: string;
  /** The connected account; default: the platform's own. */
  account?: string;
  /** When the invoice was created; default: now. It is paid now. */
  createdAt?: number;
  /** A version of the API; decides where the invoice keeps its subscription. */
  version?: "2019-03-14" | "2024-06-20" | "2026-10-28";
  /** Both of the events that Stripe sends for one payment. Default: invoice.paid alone. */
  both?: boolean;
  overrides?: Json;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Live mode: for up to three days, ever more rarely. */
const SCHEDULE = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 12 * HOUR];
const WINDOW = 72 * HOUR;
/** Events can be listed for so long. */
const EVENTS_KEPT = 30 * 24 * HOUR;

const randomId = (prefix: string) => `${prefix}_${randomBytes(9).toString("hex")}`;
const seconds = (ms: number) => Math.floor(ms / 1000);

export type StripeSimulator = Awaited<ReturnType<typeof startStripe>>;

/**
 * A sender that behaves as Stripe documents: signed events (the official library's header generator) retried for three
 * days, in no order and sometimes twice; invoices listed by the time they were created, events for thirty days, both
 * newest first in pages; errors in Stripe's shape.
 */
export async function startStripe(options: StripeOptions) {
  const { clock, secret } = options;
  const faults = createFaults();
  const state = { target: options.target };
  const invoices = new Map<string, Kept>();
  const subscriptions = new Map<string, Json>();
  let events: Kept[] = [];
  const deliveries = createDeliveries({
    clock,
    faults,
    target: () => state.target,
    schedule: SCHEDULE,
    window: WINDOW,
    userAgent: "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
  });

  async function emit(type: string, object: Json, account: string | null, version: string): Promise<string> {
    const id = randomId("evt");
    const at = clock.now();
    const event = stripeEvent(
      { id, type, api_version: version, created: seconds(at), ...(account && { account }) },
      object,
    );
    const hidden = faults.take("late_visibility");
    events.push({ object: event, account, at, visibleAt: at + (hidden?.ms ?? 0) });
    const wrong = faults.take("wrong_amount");
    const sent = wrong
      ? { ...event, data: { object: { ...object, amount_paid: Number(object.amount_paid) + wrong.by } } }
      : event;
    await sendRaw(Buffer.from(JSON.stringify(sent)), id, type);
    return id;
  }

  /** Any bytes, signed. */
  async function sendRaw(body: Buffer, eventId = "raw", type = "raw"): Promise<void> {
    await deliveries.send({
      eventId,
      type,
      body,
      sign: (moment) => ({
        "stripe-signature": Stripe.webhooks.generateTestHeaderString({
          payload: body.toString(),
          secret,
          timestamp: seconds(moment.getTime()),
        }),
      }),
    });
  }

  /** An invoice that is paid now, and the events about it. Its id. */
  async function pay(payment: PayOptions): Promise<string> {
    const { version = "2026-10-28", account = null, amount = 1000, currency = "usd", customer } = payment;
    const id = payment.id ?? randomId("in");
    const now = clock.now();
    const object = stripeInvoice({
      id,
      customer,
      currency,
      amount_due: amount,
      amount_paid: amount,
      total: amount,
      created: seconds(payment.createdAt ?? now),
      status_transitions: { finalized_at: seconds(now), paid_at: seconds(now), voided_at: null },
      ...(version === "2026-10-28" ? {} : { parent: undefined, subscription: "sub_acme" }),
      ...(version === "2019-03-14" && { paid: true }),
      ...payment.overrides,
    });
    const hidden = faults.take("late_visibility");
    invoices.set(id, { object, account, at: payment.createdAt ?? now, visibleAt: now + (hidden?.ms ?? 0) });
    await emit("invoice.paid", object, account, version);
    if (payment.both) await emit("invoice.payment_succeeded", object, account, version);
    return id;
  }

  let hooks: (() => unknown)[] = [];
  let pagesUntilFailure = 0;

  async function answer(call: ApiCall): Promise<ApiAnswer | null> {
    if (call.header("authorization") !== `Bearer ${options.apiKey}`) {
      return { status: 401, body: toError(401) };
    }
    const account = call.header("stripe-account");
    if (pagesUntilFailure > 0 && --pagesUntilFailure === 0) return { status: 503, body: toError(503) };
    for (const hook of hooks.splice(0)) await hook();
    if (call.path === "/v1/events") {
      events = events.filter(({ at }) => at >= clock.now() - EVENTS_KEPT);
      return listPage(call, visible(events, account));
    }
    if (call.path === "/v1/invoices") return listPage(call, visible([...invoices.values()], account));
    const [, kind, id] = /^\/v1\/(invoices|subscriptions)\/([\w]+)$/.exec(call.path) ?? [];
    const found = kind === "invoices" ? invoices.get(id!)?.object : kind && subscriptions.get(id!);
    return found ? { status: 200, body: found } : null;
  }

  const visible = (kept: readonly Kept[], account: string | null) =>
    kept.filter((one) => one.account === account && one.visibleAt <= clock.now());

  const server = await startApiServer({
    clock,
    faults,
    answer,
    toError,
    port: options.port,
    control: { pay: (body) => pay(body).then((id) => ({ id })), deliveries: () => deliveries.list() },
  });
  return {
    ...server,
    faults,
    clock,
    state,
    deliveries,
    invoices,
    subscriptions,
    emit,
    sendRaw,
    pay,
    /** Changes what the sender's books say about an invoice, and tells nobody. */
    change(id: string, changes: Json) {
      const kept = invoices.get(id)!;
      kept.object = { ...kept.object, ...changes };
    },
    /** Bodies as they were sent, also those that were lost. */
    sentBodies: () => events.map(({ object }) => JSON.stringify(object)),
    /** The nth call of the API from now on fails. */
    failPage(nth: number) {
      pagesUntilFailure = nth;
    },
    /** Runs once, in the middle of the next call. */
    onList(hook: () => unknown) {
      hooks = [hook];
    },
    forget: (id: string) => invoices.delete(id),
    /** As if thirty days had passed for all events so far. */
    dropEvents() {
      events = [];
    },
  };
}

/** Newest first; `starting_after` goes on behind that object, `created` limits by time. */
function listPage(call: ApiCall, kept: Kept[]): ApiAnswer {
  const { query } = call;
  const status = query.get("status");
  const types = [...query.entries()]
    .filter(([key]) => /^types\[\d*\]$/.test(key) || key === "type")
    .map(([, value]) => value);
  const from = Number(query.get("created[gte]") ?? 0);
  const to = Number(query.get("created[lt]") ?? query.get("created[lte]") ?? Number.MAX_SAFE_INTEGER);
  const objects = kept
    .map(({ object }) => object)
    .filter(
      (object) =>
        (!status || object.status === status) &&
        (types.length === 0 || types.includes(String(object.type))) &&
        Number(object.created) >= from &&
        Number(object.created) <= to,
    )
    .sort((a, b) => Number(b.created) - Number(a.created) || (String(a.id) < String(b.id) ? -1 : 1));
  const after = query.get("starting_after");
  const start = after ? objects.findIndex(({ id }) => id === after) + 1 : 0;
  const limit = Number(query.get("limit") ?? 10);
  const data = objects.slice(start, start + limit);
  return {
    status: 200,
    body: { object: "list", url: call.path, data, has_more: start + limit < objects.length },
  };
}

function toError(status: number): unknown {
  const types: Record<number, string> = { 401: "invalid_request_error", 404: "invalid_request_error" };
  return {
    error: {
      type: types[status] ?? (status === 429 ? "rate_limit_error" : "api_error"),
      ...(status === 404 && { code: "resource_missing" }),
      message: `simulated ${status}`,
    },
  };
}
