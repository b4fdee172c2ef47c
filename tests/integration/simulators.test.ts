import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adapterOf } from "#lib/sources/index.ts";
import { createClock, type SimClock } from "#tests/simulators/clock.ts";
import { SINALIO_CONTRACT } from "#tests/simulators/demo/senders.ts";
import { startGithub } from "#tests/simulators/github.ts";
import { startPayments } from "#tests/simulators/payments.ts";
import { startSinalio, startStandardWebhooks } from "#tests/simulators/plain-sender.ts";
import { startStripe } from "#tests/simulators/stripe.ts";
import { SENDER_SECRET } from "#tests/support/senders.ts";

const HOUR = 3_600_000;

type Hit = { at: number; headers: Record<string, string>; body: Buffer };

/** A receiver that answers as it is told, and keeps what came. */
async function startTarget(clock: SimClock) {
  const hits: Hit[] = [];
  const state = { status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    hits.push({
      at: clock.now(),
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks),
    });
    response.writeHead(state.status).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    hits,
    state,
    url: `http://127.0.0.1:${port}/`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

let clock: SimClock;
let target: Awaited<ReturnType<typeof startTarget>>;
const stops: (() => Promise<void>)[] = [];
const keep = <T extends { stop(): Promise<void> }>(simulator: T): T => {
  stops.push(() => simulator.stop());
  return simulator;
};
beforeEach(async () => {
  clock = createClock();
  target = keep(await startTarget(clock));
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const sender = () => ({ clock, target: target.url, secret: SENDER_SECRET, apiKey: "key" });

describe("simulated senders sign so that the receiver's adapters believe them, and repeat as documented", () => {
  it.each([
    ["stripe", "stripe", async () => keep(await startStripe(sender())).pay({ customer: "c" }), 72],
    [
      "payments",
      "payments",
      async () => keep(await startPayments({ ...sender(), merchant: "m" })).pay({ customer: "c" }),
      72,
    ],
    [
      "github",
      "github",
      async () => keep(await startGithub(sender())).emit("ping", { zen: "x", hook_id: 1, hook: {} }),
      0,
    ],
    [
      "standard webhooks",
      "standard-webhooks",
      async () => keep(await startStandardWebhooks(sender())).emit("a.b", { type: "a.b", data: {} }),
      76,
    ],
    [
      "sinalio",
      "sinalio",
      async () =>
        keep(await startSinalio({ ...sender(), contract: CONFIRMED })).emit("feedback.created", { id: "1" }),
      24,
    ],
  ] as const)("%s", async (_, kind, emit, hours) => {
    target.state.status = 500;
    await emit();
    const first = target.hits.length;
    await clock.advance(200 * HOUR);
    const window = target.hits.at(-1)!.at - target.hits[0]!.at;
    if (hours === 0) expect(target.hits).toHaveLength(first);
    else {
      expect(window).toBeGreaterThan((hours - 24) * HOUR);
      expect(window).toBeLessThanOrEqual(hours * HOUR);
    }
    const contract = kind === "sinalio" ? CONFIRMED : null;
    for (const hit of target.hits) {
      const verification = adapterOf(kind)!.verify({
        body: hit.body,
        header: (name) => hit.headers[name] ?? null,
        secrets: [{ text: SENDER_SECRET, fingerprint: "x" }],
        now: new Date(hit.at),
        contract,
      });
      expect(verification).toMatchObject({ ok: true });
    }
  });
});

const CONFIRMED = {
  ...SINALIO_CONTRACT,
  confirmed: ["authenticity"],
};

describe("faults", () => {
  it("lost, drop, duplicate and reorder change what arrives, and nothing else", async () => {
    const stripe = keep(await startStripe(sender()));
    stripe.faults.add({ what: "lost" });
    await stripe.pay({ customer: "c" });
    expect(target.hits).toHaveLength(0);
    stripe.faults.add({ what: "drop" });
    await stripe.pay({ customer: "c" });
    expect(target.hits).toHaveLength(0);
    await clock.advance(HOUR);
    expect(target.hits).toHaveLength(1);
    stripe.faults.add({ what: "duplicate" });
    await stripe.pay({ customer: "c" });
    expect(target.hits).toHaveLength(3);
    stripe.faults.add({ what: "reorder" });
    const [first, second] = [await stripe.pay({ customer: "c" }), await stripe.pay({ customer: "c" })];
    const order = target.hits.slice(3).map(({ body }) => JSON.parse(body.toString()).data.object.id);
    expect(order).toEqual([second, first]);
  });

  it("and time are at hand over HTTP as well", async () => {
    const stripe = keep(await startStripe(sender()));
    const control = (name: string, body: object) =>
      fetch(`${stripe.url}/_control/${name}`, { method: "POST", body: JSON.stringify(body) });
    expect((await control("faults", { what: "drop" })).status).toBe(200);
    expect((await control("faults", { what: "no such fault" })).status).toBe(400);
    const paid = await control("pay", { customer: "c" });
    expect(await paid.json()).toMatchObject({ id: expect.stringMatching(/^in_/) });
    expect(target.hits).toHaveLength(0);
    await control("advance", { ms: HOUR });
    expect(target.hits).toHaveLength(1);
    expect((await control("unknown", {})).status).toBe(404);
  });
});
