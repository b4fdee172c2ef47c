import { describe, expect, it } from "vitest";
import { chartShape, niceTop } from "#lib/console/chart.ts";
import { coalesce } from "#lib/console/coalesce.ts";
import { healthCards } from "#lib/console/health-cards.ts";
import type { Heap } from "#lib/console/overview.ts";
import { describeProblem, withDeadline } from "#lib/console/problem.ts";
import { maskAddress, toSlips } from "#lib/console/slips.ts";
import { toWaterfall } from "#lib/console/waterfall.ts";
import type { InvoiceTrace, TraceItem } from "#lib/trace/types.ts";

const base = { why: null, durationMs: null, event: "e1", title: "" };
const items: TraceItem[] = [
  {
    ...base,
    kind: "receipt",
    id: "e1",
    at: "2026-03-03T10:02:11.204Z",
    eventId: "evt_1",
    type: "invoice.paid",
    status: "done",
    outcome: "applied",
    failureClass: null,
    attempts: 2,
    nextAttemptAt: null,
    deliveries: 3,
    durationMs: 31,
  },
  {
    ...base,
    kind: "attempt",
    id: "a1",
    at: "2026-03-03T10:02:11.210Z",
    result: "retry",
    why: "deadlock",
    durationMs: 9,
  },
  { ...base, kind: "attempt", id: "a2", at: "2026-03-03T10:02:11.225Z", result: "done", durationMs: 10 },
  {
    ...base,
    kind: "effect",
    id: "f1",
    at: "2026-03-03T10:02:11.230Z",
    effect: "initial-credit-grant",
    outcome: "applied",
    by: null,
  },
  {
    ...base,
    kind: "entry",
    id: "c1",
    at: "2026-03-03T10:02:11.230Z",
    operation: "initial-credit-grant",
    amount: "100",
    workspace: { id: "ws", name: "Acme" },
    paidAmount: "1000",
    paidCurrency: "usd",
    confirmationOmitted: null,
  },
  {
    ...base,
    kind: "message",
    id: "m1",
    at: "2026-03-03T10:02:11.230Z",
    channel: "email",
    destination: "billing@acme.example",
    topic: "credit.granted",
    purpose: "confirmation",
    operation: "initial-credit-grant",
    status: "pending",
    finishedAt: null,
  },
  {
    ...base,
    kind: "replay",
    id: "r1",
    at: "2026-03-03T14:40:03.118Z",
    result: "already_applied",
    why: "this receipt made the grant itself",
    actor: "support",
    reason: "customer asked",
    operation: "o1",
    durationMs: 5,
  },
];
const trace: InvoiceTrace = {
  source: "stripe",
  account: "acct_1",
  invoice: "in_1",
  mode: "live",
  workspace: { id: "ws", name: "Acme" },
  sentence: "",
  items,
  complete: true,
};

describe("the slips of an invoice", () => {
  it("tell receipt, message and replay, each with what it did", () => {
    const [receipt, message, replay, ...rest] = toSlips(trace);
    expect(rest).toEqual([]);
    expect(receipt).toMatchObject({
      stub: { title: "invoice.paid", id: "evt_1", more: "3 deliveries" },
      title: "Granted 100 credits to Acme",
      figure: "31 ms",
      isVoid: false,
      lines: ["Second try; deadlock.", "The confirmation was intended in the same commit."],
    });
    expect(message).toMatchObject({ stub: { id: "b***@acme.example" }, title: "Waits to be sent" });
    expect(message!.lines.join()).toContain("waits in the outbox");
    expect(replay).toMatchObject({
      stub: { title: "Replay by support", more: "customer asked" },
      isVoid: true,
    });
  });

  it("keep most of an address to themselves", () => {
    expect(maskAddress("billing@acme.example")).toBe("b***@acme.example");
    expect(maskAddress("https://hooks.example/x")).toBe("https://hooks.example/x");
  });
});

describe("the timeline", () => {
  it("is in order, inside its width, and folds the hours in which nothing happened", () => {
    const { steps, folds } = toWaterfall(trace)!;
    expect(steps.map(({ label }) => label)).toEqual([
      "Receipt, invoice.paid",
      "Worker: failed, again later",
      "Worker: applied",
      "E-mail: pending",
      "Replay by support: already applied",
    ]);
    for (const { x, width } of steps) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(100.001);
    }
    expect(steps.map(({ x }) => x)).toEqual(steps.map(({ x }) => x).toSorted((a, b) => a - b));
    expect(folds).toHaveLength(1);
    expect(toWaterfall({ ...trace, items: items.slice(0, 1) })).toBeNull();
  });
});

describe("the overview", () => {
  const now = 10_000_000;
  const heap = (values: Partial<Heap>): Heap => ({
    sourceId: "stripe-live",
    status: "pending",
    cause: null,
    retrying: false,
    held: false,
    count: 1,
    oldestAt: now - 126_000,
    dueAt: now - 126_000,
    sampleId: "",
    sampleWhy: null,
    ...values,
  });

  it("alarms about what is due for longer than a minute, and about failures", () => {
    const [oldest, pending, failed] = healthCards({
      now,
      conflicts: 0,
      heaps: [heap({ count: 14 }), heap({ status: "failed", cause: "mismatch" })],
    });
    expect(oldest).toMatchObject({ figure: "2 min 6 s", detail: "limit 1 min, stripe-live", alarm: true });
    expect(pending).toMatchObject({ figure: "14", alarm: false });
    expect(failed).toMatchObject({ figure: "1", detail: "1 cause", alarm: true });
  });

  it("does not alarm about a paused source, nor about a retry that is not due yet", () => {
    expect(healthCards({ now, conflicts: 0, heaps: [heap({ held: true })] })[0]).toMatchObject({
      alarm: false,
    });
    expect(
      healthCards({ now, conflicts: 0, heaps: [heap({ dueAt: null, retrying: true })] })[0],
    ).toMatchObject({ alarm: false });
    expect(healthCards({ now, conflicts: 0, heaps: [] })[0]).toMatchObject({ figure: "none", alarm: false });
  });

  it("draws a chart with round ticks, also of nothing", () => {
    const minutes = Array.from({ length: 60 }, (_, minute) => ({ minute, received: 0, done: 0 }));
    expect(chartShape(minutes)).toMatchObject({ ticks: [4, 2, 0] });
    expect([5, 21, 36, 61, 99, 101].map(niceTop)).toEqual([6, 40, 40, 80, 100, 200]);
  });
});

describe("reading", () => {
  it("shares one answer for a while, but not a failure", async () => {
    let calls = 0;
    const read = coalesce(async (fail: boolean) => {
      calls++;
      if (fail) throw new Error("away");
      return calls;
    }, 10_000);
    await expect(read(true)).rejects.toThrow("away");
    expect(await Promise.all([read(false), read(false)])).toEqual([2, 2]);
  });

  it("gives up on a database that says nothing, and says why in words", async () => {
    const silent = withDeadline(new Promise<never>(() => {}), 10);
    const error = await silent.catch((reason: unknown) => reason);
    expect(describeProblem(error).title).toContain("did not answer in time");
    expect(describeProblem({ code: "57014" }).title).toContain("did not answer in time");
    expect(describeProblem({ code: "ECONNREFUSED" })).toMatchObject({ passes: true });
    expect(describeProblem(new TypeError("x")).title).toContain("could not be read");
  });
});
