import { describe, expect, it } from "vitest";
import { tellInvoice } from "#lib/trace/sentence.ts";
import type { EntryItem, MessageItem, ReceiptItem } from "#lib/trace/types.ts";

const receipt = (overrides: Partial<ReceiptItem> = {}): ReceiptItem => ({
  kind: "receipt",
  id: "a",
  at: "2026-03-03T10:02:11.204Z",
  title: "Received invoice.paid",
  why: null,
  durationMs: null,
  event: "a",
  eventId: "evt_1",
  type: "invoice.paid",
  status: "done",
  outcome: "applied",
  failureClass: null,
  attempts: 1,
  nextAttemptAt: null,
  deliveries: 1,
  ...overrides,
});
const grant = (overrides: Partial<EntryItem> = {}): EntryItem => ({
  kind: "entry",
  id: "b",
  at: "2026-03-03T10:02:11.235Z",
  title: "",
  why: null,
  durationMs: null,
  event: "a",
  operation: "initial-credit-grant",
  amount: "100",
  workspace: { id: "ws_acme", name: "Acme" },
  paidAmount: "1000",
  paidCurrency: "usd",
  confirmationOmitted: null,
  ...overrides,
});
const message = (status: MessageItem["status"], finishedAt: string | null = null): MessageItem => ({
  kind: "message",
  id: "c",
  at: "2026-03-03T10:02:11.235Z",
  title: "",
  why: null,
  durationMs: null,
  event: "a",
  channel: "email",
  destination: "billing@acme.example",
  topic: "credit.granted",
  purpose: "confirmation",
  operation: "initial-credit-grant",
  status,
  finishedAt,
});

describe("tellInvoice, with a grant", () => {
  it("says what, to whom, when and what came of the confirmation", () => {
    expect(tellInvoice([receipt(), grant(), message("sent", "2026-03-03T10:02:13.4Z")])).toBe(
      "100 credits were granted to Acme on 3 March 2026 at 10:02:11 UTC, 31 ms after the first notice came. The confirmation was sent on 3 March 2026 at 10:02:13 UTC.",
    );
  });

  it("counts what changed nothing", () => {
    expect(tellInvoice([receipt({ deliveries: 2 }), grant()])).toContain(
      "; one more notice changed nothing.",
    );
    expect(tellInvoice([receipt({ deliveries: 2 }), receipt(), grant()])).toContain(
      "; 2 more notices changed nothing.",
    );
  });

  it("says why there is no confirmation, and speaks of one credit in the singular", () => {
    const omitted = grant({ amount: "1", confirmationOmitted: "the workspace has no contact address" });
    expect(tellInvoice([receipt(), omitted])).toMatch(
      /^1 credit was granted .* No confirmation was sent: the workspace has no contact address\.$/,
    );
  });

  it.each(["pending", "sending", "unknown", "rejected", "abandoned", "cancelled"] as const)(
    "knows a confirmation that is %s",
    (status) => {
      expect(tellInvoice([receipt(), grant(), message(status)])).toMatch(
        / (The|Whether the) confirmation .+\.$/,
      );
    },
  );

  it("mentions a notice that disagrees", () => {
    const failed = receipt({
      status: "failed",
      outcome: null,
      failureClass: "mismatch",
      why: "the currency differs",
    });
    expect(tellInvoice([receipt(), grant(), failed])).toContain("needs a decision: the currency differs.");
  });
});

describe("tellInvoice, without a grant", () => {
  const came = "Notice of this invoice came on 3 March 2026 at 10:02:11 UTC";

  it.each<[Partial<ReceiptItem>, string]>([
    [{ status: "pending", attempts: 0 }, `${came} and is about to be processed; nothing was granted yet.`],
    [
      {
        status: "pending",
        attempts: 2,
        nextAttemptAt: "2026-03-03T10:03:00Z",
        why: "40P01: deadlock detected",
      },
      `${came}, but the last try to process it failed and is repeated on 3 March 2026 at 10:03:00 UTC; nothing was granted yet.`,
    ],
    [
      { status: "waiting", why: "customer cus_1 is not linked to a workspace" },
      `${came}; nothing was granted yet: customer cus_1 is not linked to a workspace.`,
    ],
    [
      { status: "done", outcome: "not_eligible", why: "the invoice is void, not paid" },
      `${came}; nothing was granted: the invoice is void, not paid.`,
    ],
    [{ status: "failed", why: "odd" }, `${came}; nothing was granted, and it needs a decision: odd.`],
    [{ status: "quarantined", why: "odd" }, `${came}; nothing was granted, and it needs a decision: odd.`],
    [
      { status: "dismissed", why: "a test" },
      `${came}; nothing was granted, and it was closed by hand: a test.`,
    ],
    [{ status: "ignored", why: "wrong mode" }, `${came}; nothing was granted: wrong mode.`],
  ])("explains %o", (overrides, sentence) => {
    expect(tellInvoice([receipt(overrides)])).toBe(sentence);
  });

  it("speaks of the receipt that still needs something, not of the one that is closed", () => {
    const items = [
      receipt({ status: "ignored", why: "wrong mode" }),
      receipt({ status: "waiting", why: "no link" }),
    ];
    expect(tellInvoice(items)).toContain("no link");
  });

  it("says so when nothing came", () => {
    expect(tellInvoice([])).toBe("No notice about this invoice has come, and nothing was granted for it.");
  });
});

describe("tellInvoice, with reversals", () => {
  const entry = (amount: string, at: string, event: string) =>
    grant({ id: event, operation: `credit-reversal:${event}`, amount, at, event });
  const refund = receipt({ id: "r", event: "r", type: "charge.refunded", at: "2026-03-04T08:00:00Z" });

  it("says what was taken back and given back, and does not count their notices as repeats", () => {
    const told = tellInvoice([
      receipt(),
      grant({ confirmationOmitted: "no address" }),
      refund,
      entry("-33", "2026-03-04T08:00:01Z", "r"),
      entry("1", "2026-03-05T08:00:01Z", "s"),
    ]);
    expect(told).toBe(
      "100 credits were granted to Acme on 3 March 2026 at 10:02:11 UTC, 31 ms after the first notice came. No confirmation was sent: no address. 33 credits were taken back on 4 March 2026 at 08:00:01 UTC. 1 credit was given back on 5 March 2026 at 08:00:01 UTC.",
    );
  });

  it("sums many steps up", () => {
    const steps = ["-10", "-10", "-10", "5"].map((amount, at) =>
      entry(amount, `2026-03-04T08:00:0${at}Z`, `r${at}`),
    );
    expect(tellInvoice([receipt(), grant({ confirmationOmitted: "x" }), ...steps])).toContain(
      "In 4 steps 25 credits were taken back on 4 March 2026 at 08:00:03 UTC.",
    );
  });
});
