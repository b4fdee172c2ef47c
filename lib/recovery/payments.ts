import { z } from "zod";
import { idText, type JsonValue, member } from "#lib/json.ts";
import { callSender } from "./call.ts";
import { SenderFailure } from "./failure.ts";
import { writeTransactionEvent } from "./payments-event.ts";
import type { ClientOptions, Recovery, SenderClient, SenderObject, Window } from "./types.ts";

const PAGE = 100;
/** An event is retried for 72 hours: what we heard of happened at most so long before. */
const RETRIES = 80 * 3_600_000;

/** What became of the money later does not undo that it was paid. */
const PAID = ["SUCCEEDED", "REFUNDED", "PARTIALLY_REFUNDED"];

const transaction = z.looseObject({
  status: z.string(),
  updatedAt: z.iso.datetime({ offset: true }),
  livemode: z.boolean().optional(),
});

/** A payments provider: `GET /transactions/list` by date window; the same list serves for one transaction. */
export const payments: Recovery = {
  kind: "payments",
  lists: "objects",
  canRedeliver: true,
  perAccount: false,
  checkBaseUrl: (baseUrl) => (baseUrl ? null : "a payments sender's API has no address of its own: name it"),
  modeOf: () => null,
  open: openPayments,
};

function openPayments(options: ClientOptions): SenderClient {
  async function list(window: Window, cursor: string | null, signal: AbortSignal) {
    const search = new URLSearchParams({
      from: new Date(window.from).toISOString(),
      to: new Date(window.to).toISOString(),
      limit: String(PAGE),
      ...(cursor && { cursor }),
    });
    const { json } = await callSender({
      ...options,
      url: `${options.credentials.baseUrl}/transactions/list?${search}`,
      signal,
    });
    const items = member(json, "transactions");
    if (!Array.isArray(items)) throw new SenderFailure("the sender's list has no transactions", true);
    const next = member(json, "nextCursor");
    return {
      objects: items.map((item) => toObject(item, options.contract)),
      next: typeof next === "string" ? next : null,
    };
  }

  return {
    listings: [{ name: "transactions", reach: null }],
    list: (_listing, _account, window, cursor, signal) => list(window, cursor, signal),
    async find(subjects, _account, near, signal) {
      const found = new Map<string, SenderObject>();
      const window = { from: near.from - RETRIES, to: near.to + 3_600_000 };
      for (let cursor: string | null = null; ; ) {
        const page: Awaited<ReturnType<typeof list>> = await list(window, cursor, signal);
        for (const object of page.objects)
          if (subjects.includes(object.subject)) found.set(object.subject, object);
        cursor = page.next;
        if (cursor === null || found.size === subjects.length) return found;
      }
    },
    async redeliver(deliveryId, signal) {
      const url = `${options.credentials.baseUrl}/webhooks/deliveries/${encodeURIComponent(deliveryId)}/retry`;
      await callSender({ ...options, method: "POST", url, signal });
    },
  };
}

function toObject(item: JsonValue, contract: unknown): SenderObject {
  const parsed = transaction.safeParse(item);
  const subject = idText(member(item, "transactionId"));
  if (!parsed.success || !subject)
    throw new SenderFailure("a transaction of the list has no id, status or time", true);
  const { status, updatedAt, livemode } = parsed.data;
  const [deliveryId] = z.array(z.string()).catch([]).parse(member(item, "deliveries"));
  return {
    account: idText(member(item, "merchantId")),
    mode: livemode === false ? "test" : "live",
    subject,
    at: Date.parse(updatedAt),
    paid: PAID.includes(status),
    receipt: PAID.includes(status)
      ? {
          body: writeTransactionEvent(item, subject, contract),
          headers: { "content-type": "application/json" },
        }
      : null,
    ...(deliveryId && { deliveryId }),
  };
}
