import { describe, expect, it } from "vitest";
import { rule } from "#lib/inbox/decide.ts";
import { intentsOf } from "#lib/inbox/outgoing.ts";
import type { InboxRow } from "#lib/inbox/row.ts";
import { settle } from "#lib/inbox/settle.ts";
import { makeAlertIds } from "#lib/inbox/write-changes.ts";
import type { Settled } from "#lib/inbox/write-settlements.ts";
import { FEEDBACK_CONTRACT } from "#tests/support/effect-samples.ts";
import { type EventParts, effectEvent, Model, prepareEvent } from "#tests/support/effects.ts";
import { stripeInvoice } from "#tests/support/stripe-events.ts";
import { stripeEventOf } from "#tests/support/stripe-money.ts";

function settled(parts: EventParts): Settled {
  const event = effectEvent(parts);
  const row = {
    id: event.id,
    sourceId: event.sourceId,
    account: event.account,
    tenantId: "acme",
  } as InboxRow;
  const ruling = rule(prepareEvent(event), new Model().facts);
  if (ruling.kind !== "done") throw new Error(ruling.why);
  return { row, settlement: settle(row, ruling), verdicts: ruling.verdicts };
}

describe("what subscribers are told", () => {
  it("of a grant: whose, how much, and under which operation", () => {
    const payload = stripeEventOf("invoice.paid", stripeInvoice({ id: "in_1" }));
    const batch = [settled({ type: "invoice.paid", payload, id: "row" })];
    expect(intentsOf(batch, new Map())).toEqual([
      {
        source: "stripe",
        account: "acct_1",
        subject: "in_1",
        operation: "initial-credit-grant",
        purpose: "notification",
        tenant: "acme",
        event: "row",
        notice: {
          topic: "credit.granted",
          data: {
            source: "stripe",
            account: "acct_1",
            invoice: "in_1",
            operation: "initial-credit-grant",
            event: "row",
            workspace: { id: "ws_1", name: "Acme" },
            credits: 100n,
            paid: { amount: 1000n, currency: "usd" },
          },
        },
      },
    ]);
  });

  it("of feedback: the very alert that is written", () => {
    const batch = [
      settled({
        kind: "sinalio",
        type: "feedback.escalated",
        payload: { level: "high", text: "It broke" },
        contract: FEEDBACK_CONTRACT,
        subject: "fb_1",
      }),
    ];
    const ids = makeAlertIds(batch);
    const [intent] = intentsOf(batch, ids);
    expect(intent).toMatchObject({
      operation: "feedback-alert:escalation:high",
      purpose: "alert",
      subject: "fb_1",
    });
    expect(intent!.notice).toMatchObject({
      topic: "feedback.alert",
      data: { alert: [...ids.values()][0], operation: "escalation:high", text: "It broke" },
    });
  });
});
