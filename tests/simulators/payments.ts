import { createHmac, randomBytes } from "node:crypto";
import { type ApiAnswer, type ApiCall, type SimulatorOptions, startApiServer } from "./api-server.ts";
import { createDeliveries, type Delivery } from "./deliveries.ts";
import { createFaults } from "./faults.ts";

export type PaymentsOptions = SimulatorOptions & { apiKey: string; secret: string; merchant: string };

export type Transaction = {
  transactionId: string;
  merchantId: string;
  customerId: string;
  checkoutSessionId: string;
  status: "SUCCEEDED" | "FAILED" | "REFUNDED";
  amount: number;
  currency: string;
  /** ISO 8601; the time it reached its status. */
  updatedAt: string;
};

const HOUR = 3_600_000;
/** Backoff to hourly; for 72 hours, then it stops. */
const SCHEDULE = [10_000, 60_000, 300_000, 900_000, HOUR];
const WINDOW = 72 * HOUR;

const randomId = (prefix: string) => `${prefix}_${randomBytes(9).toString("hex")}`;

export type PaymentsSimulator = Awaited<ReturnType<typeof startPayments>>;

/**
 * A payments provider: several events per transaction, HMAC over `{timestamp}.{body}` anew for each attempt, retries for
 * 72 hours; transactions listed by date window, deliveries shown with each attempt, a forced retry also of abandoned ones.
 */
export async function startPayments(options: PaymentsOptions) {
  const { clock, secret } = options;
  const faults = createFaults();
  const state = { target: options.target };
  const transactions = new Map<string, Transaction & { visibleAt: number }>();
  /** Which transaction a delivery is about. */
  const about = new Map<string, string>();
  const deliveries = createDeliveries({
    clock,
    faults,
    target: () => state.target,
    schedule: SCHEDULE,
    window: WINDOW,
    userAgent: "Payments-Webhooks/1",
  });

  async function emit(type: string, transaction: Transaction): Promise<Delivery> {
    const id = `pd${randomBytes(8).toString("hex")}`;
    about.set(id, transaction.transactionId);
    const eventId = randomId("pev");
    const wrong = faults.take("wrong_amount");
    const amount = transaction.amount + (wrong?.by ?? 0);
    const body = Buffer.from(JSON.stringify({ eventId, type, ...transaction, amount }));
    return deliveries.send({
      id,
      eventId,
      type,
      body,
      sign(at) {
        const timestamp = String(Math.floor(at.getTime() / 1000));
        const mac = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
        return { "x-payments-signature": mac, "x-payments-timestamp": timestamp };
      },
    });
  }

  /** A transaction that succeeds now: CHECKOUT_SESSION_PAID and TRANSACTION_SUCCEEDED. Its id. */
  async function pay(payment: { id?: string; customer: string; amount?: number; currency?: string }) {
    const now = clock.now();
    const transaction: Transaction = {
      transactionId: payment.id ?? randomId("tx"),
      merchantId: options.merchant,
      customerId: payment.customer,
      checkoutSessionId: randomId("cs"),
      status: "SUCCEEDED",
      amount: payment.amount ?? 2500,
      currency: payment.currency ?? "eur",
      updatedAt: new Date(now).toISOString(),
    };
    const hidden = faults.take("late_visibility");
    transactions.set(transaction.transactionId, { ...transaction, visibleAt: now + (hidden?.ms ?? 0) });
    await emit("CHECKOUT_SESSION_PAID", transaction);
    await emit("TRANSACTION_SUCCEEDED", transaction);
    return transaction.transactionId;
  }

  async function answer(call: ApiCall): Promise<ApiAnswer | null> {
    if (call.header("authorization") !== `Bearer ${options.apiKey}`)
      return { status: 401, body: toError(401) };
    if (call.path === "/transactions/list" && call.method === "GET") return list(call);
    const [, id, again] = /^\/webhooks\/deliveries\/([\w]+)(\/retry)?$/.exec(call.path) ?? [];
    if (!id) return null;
    const delivery = again && call.method === "POST" ? await deliveries.retry(id) : deliveries.find(id);
    return delivery ? { status: 200, body: toDeliveryAnswer(delivery) } : null;
  }

  /** `from` and `to` are ISO times, `to` is outside; oldest first; `cursor` is what the page before gave as nextCursor. */
  function list({ query }: ApiCall): ApiAnswer {
    const from = Date.parse(query.get("from") ?? "");
    const to = Date.parse(query.get("to") ?? "");
    if (Number.isNaN(from) || Number.isNaN(to)) return { status: 400, body: toError(400) };
    const found = [...transactions.values()]
      .filter(({ updatedAt, visibleAt }) => {
        const at = Date.parse(updatedAt);
        return at >= from && at < to && visibleAt <= clock.now();
      })
      .sort((a, b) => (`${a.updatedAt}${a.transactionId}` < `${b.updatedAt}${b.transactionId}` ? -1 : 1));
    const start = Number(query.get("cursor") ?? 0);
    const limit = Math.min(Number(query.get("limit") ?? 50), 100);
    const items = found.slice(start, start + limit).map(({ visibleAt: _, ...transaction }) => ({
      ...transaction,
      deliveries: deliveries
        .list()
        .filter(({ type }) => type === "TRANSACTION_SUCCEEDED")
        .filter(({ id }) => about.get(id) === transaction.transactionId)
        .map(({ id }) => id),
    }));
    const nextCursor = start + limit < found.length ? String(start + limit) : null;
    return { status: 200, body: { transactions: items, nextCursor } };
  }
  const server = await startApiServer({
    clock,
    faults,
    answer,
    toError,
    port: options.port,
    control: { pay: (body) => pay(body).then((id) => ({ id })), deliveries: () => deliveries.list() },
  });
  return { ...server, faults, clock, state, deliveries, transactions, emit, pay };
}

function toDeliveryAnswer({ id, eventId, type, status, attempts }: Delivery) {
  return {
    id,
    eventId,
    type,
    status,
    attempts: attempts.map(({ at, status: statusCode, body }) => ({
      at: new Date(at).toISOString(),
      statusCode,
      responseBody: body,
    })),
  };
}

const toError = (status: number) => ({ error: { code: `http_${status}`, message: `simulated ${status}` } });
