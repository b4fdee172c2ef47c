import { v7 as uuidv7 } from "uuid";
import type { Notice, NoticeBody } from "#lib/channels/notice.ts";
import type { Call, Channel, OutgoingMessage, SendOutcome, Target } from "#lib/channels/types.ts";
import { parseAllowances } from "#lib/outbound/allowances.ts";
import { createOutbound } from "#lib/outbound/create-outbound.ts";
import type { Outbound, Resolver } from "#lib/outbound/types.ts";

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

export function makeOutbound(allowed = "127.0.0.0/8", resolve?: Resolver): Outbound {
  const parsed = parseAllowances(allowed);
  if (!parsed.ok) throw new Error(parsed.why);
  return createOutbound({ allow: parsed.allow, ...(resolve ? { resolve } : {}) });
}

const ledger = {
  source: "stripe-main",
  account: "acct_1",
  invoice: "in_1",
  operation: "initial-credit-grant",
  event: "0198c2b4-0000-7000-8000-000000000001",
  workspace: { id: "ws_1", name: "Acme" },
};
const alert = {
  alert: "0198c2b4-0000-7000-8000-000000000002",
  kind: "oldest-pending",
  severity: "warning",
  title: "Events wait longer than usual",
  openedAt: "2026-03-03T10:00:00.000Z",
};

/** One notice of each topic. */
export const NOTICES: Notice[] = (
  [
    {
      topic: "credit.granted",
      data: { ...ledger, credits: 100n, paid: { amount: 4900n, currency: "eur" } },
    },
    {
      topic: "credit.reversed",
      data: { ...ledger, operation: "credit-reversal:re_1", credits: -100n, cause: "refund" },
    },
    {
      topic: "feedback.alert",
      data: {
        source: "sinalio-main",
        project: "shop",
        feedback: "fb_1",
        operation: "initial-alert",
        alert: alert.alert,
        category: "bug",
        text: "The button does nothing.",
      },
    },
    { topic: "alert.opened", data: alert },
    { topic: "alert.resolved", data: { ...alert, resolvedAt: "2026-03-03T11:00:00.000Z" } },
    {
      topic: "delivery.abandoned",
      data: {
        message: "0198c2b4-0000-7000-8000-000000000003",
        destination: "crm",
        channel: "webhook",
        about: { topic: "credit.granted", subject: "in_1" },
        attempts: 80,
        lastError: "the destination answered 500",
        createdAt: "2026-03-01T10:00:00.000Z",
      },
    },
    { topic: "destination.test", data: { destination: "crm" } },
  ] satisfies NoticeBody[]
).map((body) => ({
  at: "2026-03-03T10:02:11.000Z",
  link: "https://counterfoil.example.test/inbox/1",
  ...body,
}));

export function render(channel: Channel, notice: Notice = NOTICES[0]!): Record<string, string> {
  const rendering = channel.render(notice);
  if (!rendering.ok) throw new Error(rendering.why);
  return rendering.content;
}

export function makeMessage(channel: Channel, rest: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const now = new Date();
  return { id: uuidv7(), content: render(channel), createdAt: now, now, attempt: 1, ...rest };
}

export type SendOptions = Partial<Call> & { deadline?: number; message?: OutgoingMessage };

/** One attempt as the dispatcher makes it. `deadline` in milliseconds. */
export function sendOnce(
  channel: Channel,
  target: Partial<Target>,
  { deadline = 5_000, message, ...rest }: SendOptions = {},
): Promise<SendOutcome> {
  const outbound = rest.outbound ?? sharedOutbound;
  return channel.send(
    message ?? makeMessage(channel),
    { url: null, to: null, secret: null, ...target },
    {
      signal: AbortSignal.timeout(deadline),
      outbound,
      policy: channel.policies[0],
      env: { PUBLIC_URL: "https://counterfoil.example.test" },
      ...rest,
    },
  );
}

const sharedOutbound = makeOutbound();
