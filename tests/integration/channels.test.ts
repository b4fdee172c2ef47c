import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHANNELS } from "#db/states.ts";
import { channelOf, channels } from "#lib/channels/index.ts";
import { TOPICS } from "#lib/channels/notice.ts";
import type { Channel, ChannelEnv, SendOutcome, Target } from "#lib/channels/types.ts";
import { makeMessage, makeOutbound, NOTICES, sendOnce, WEBHOOK_SECRET } from "#tests/support/channel-call.ts";
import {
  answer,
  closedPort,
  type HttpPeer,
  hang,
  reset,
  startHttpPeer,
} from "#tests/support/peers/http-peer.ts";
import { natsServer, startNatsPeer } from "#tests/support/peers/nats-peer.ts";
import { startSilentPeer } from "#tests/support/peers/silent-peer.ts";
import { startSmtpPeer } from "#tests/support/peers/smtp-peer.ts";

/** How each channel is driven: where its peer is, and how the peer is made to misbehave. */
type Harness = {
  available: boolean;
  target(): Partial<Target>;
  /** The same kind of target where nothing listens. */
  nowhere(port: number): Partial<Target>;
  env(port?: number): Partial<ChannelEnv>;
  /** Ids of the messages that arrived, as the peer read them. Null: the channel's own suite looks. */
  arrived: (() => string[]) | null;
  accept(): void;
  /** Takes the message, and never answers. */
  loseAnswer(): void;
};

let http: HttpPeer;
let smtp: Awaited<ReturnType<typeof startSmtpPeer>>;
let nats: Awaited<ReturnType<typeof startNatsPeer>> | undefined;

beforeAll(async () => {
  http = await startHttpPeer(answer(200, "ok"));
  smtp = await startSmtpPeer("accept");
  if (natsServer) nats = await startNatsPeer();
});
afterAll(async () => {
  await Promise.all([http.close(), smtp.close(), nats?.close()]);
});

const overHttp = (target: Partial<Target>, id: (peer: HttpPeer) => string[]): Harness => ({
  available: true,
  target: () => ({ url: http.url, ...target }),
  nowhere: (port) => ({ url: `http://127.0.0.1:${port}/hook`, ...target }),
  env: () => ({}),
  arrived: () => id(http),
  accept: () => http.behave(answer(200, "ok")),
  loseAnswer: () => http.behave(reset),
});

const harnesses: Record<Channel["name"], Harness> = {
  webhook: overHttp({ secret: WEBHOOK_SECRET }, (peer) =>
    peer.requests.map((request) => request.headers["webhook-id"] ?? ""),
  ),
  slack: overHttp({}, (peer) => peer.requests.map(() => "")),
  email: {
    available: true,
    target: () => ({ to: "owner@example.test" }),
    nowhere: () => ({ to: "owner@example.test" }),
    env: (port = smtp.port) => ({
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      EMAIL_FROM: "Counterfoil <counterfoil@example.test>",
    }),
    arrived: () => smtp.mails.map(({ raw }) => /^Message-ID: <([^@]+)@/im.exec(raw)?.[1] ?? ""),
    accept: () => smtp.behave("accept"),
    loseAnswer: () => smtp.behave("close after dot"),
  },
  nats: {
    available: natsServer !== null,
    target: () => ({ url: nats!.url, to: "credits.granted" }),
    nowhere: (port) => ({ url: `nats://127.0.0.1:${port}`, to: "credits.granted" }),
    env: () => ({}),
    arrived: null,
    accept: () => {},
    loseAnswer: () => {},
  },
};

it("has one channel for each name, and each knows its own", () => {
  expect(channels.map(({ name }) => name).toSorted()).toEqual([...CHANNELS].toSorted());
  for (const name of CHANNELS) expect(channelOf(name).name).toBe(name);
});

it("offers to subscribe to every topic but the test's own", () => {
  expect(NOTICES.map(({ topic }) => topic)).toEqual([...TOPICS, "destination.test"]);
});

describe.each(channels.map((channel) => [channel.name, channel] as const))("%s", (name, channel) => {
  const harness = harnesses[name];

  it.each(NOTICES.map((notice) => [notice.topic, notice] as const))(
    "renders %s the same each time, as JSON that a database can keep",
    (_topic, notice) => {
      const rendering = channel.render(notice);
      expect(rendering.ok).toBe(true);
      expect(channel.render(structuredClone(notice))).toEqual(rendering);
      expect(JSON.parse(JSON.stringify(rendering))).toEqual(rendering);
      expect(JSON.stringify(rendering)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      expect(JSON.stringify(rendering)).toContain("https://counterfoil.example.test/inbox/1");
    },
  );

  it("names policies that it can keep", () => {
    if (channel.policies.includes("idempotent")) expect(channel.keyLifetimeSeconds).toBeGreaterThan(0);
    else expect(channel.keyLifetimeSeconds).toBeNull();
    expect(channel.policies.includes("reconcile")).toBe(channel.reconcile !== undefined);
    expect(channel.policies).toContain("review");
  });

  it("says what is wrong with an empty target, without throwing", () => {
    expect(channel.checkTarget({ url: null, to: null, secret: null }, makeOutbound())).toMatch(/needs/);
  });

  it("rejects a frozen content that is not its own, and sends nothing", async () => {
    const target = harness.available ? harness.target() : harness.nowhere(1);
    const message = makeMessage(channel, { content: { somethingElse: true } });
    const outcome = await sendOnce(channel, target, { message, env: envOf(harness) });
    expect(outcome).toMatchObject({ kind: "rejected", code: "bad_content", bytesLeft: false });
  });

  it("tries again where nothing listens: no byte left, the destination is to blame", async () => {
    const port = await closedPort();
    const outcome = await sendOnce(channel, harness.nowhere(port), { env: envOf(harness, port) });
    expect(outcome).toMatchObject({
      kind: "retry",
      blame: "destination",
      code: "refused",
      bytesLeft: false,
      status: null,
      disables: false,
    });
    expectEvidence(outcome);
  });

  // Over HTTP the client speaks first: there the request is written by then.
  it.skipIf(speaksFirst(name))(
    "tries again where a server takes the connection and never greets",
    async () => {
      const silent = await startSilentPeer();
      const outcome = await sendOnce(channel, harness.nowhere(silent.port), {
        env: envOf(harness, silent.port),
        deadline: 300,
      });
      await silent.close();
      expect(outcome).toMatchObject({ kind: "retry", blame: "destination", bytesLeft: false });
    },
  );

  it.skipIf(harness.arrived === null)("is accepted by its peer, under the message's id", async () => {
    harness.accept();
    const before = harness.arrived!().length;
    const message = makeMessage(channel);
    const outcome = await sendOnce(channel, harness.target(), { message, env: envOf(harness) });
    expect(outcome).toMatchObject({ kind: "accepted", bytesLeft: true });
    expectEvidence(outcome);
    const arrived = harness.arrived!().slice(before);
    expect(arrived).toHaveLength(1);
    if (name !== "slack") expect(arrived).toEqual([message.id]);
  });

  it.skipIf(harness.arrived === null)("knows that a lost answer is not a refusal", async () => {
    harness.loseAnswer();
    const outcome = await sendOnce(channel, harness.target(), { env: envOf(harness), policy: "review" });
    expect(outcome).toMatchObject({ kind: "unknown", code: "reset", bytesLeft: true, status: null });
    expectEvidence(outcome);
  });

  it("does nothing when the call is over before it begins", async () => {
    const target = harness.available ? harness.target() : harness.nowhere(1);
    http.behave(hang);
    const before = http.requests.length;
    const outcome = await sendOnce(channel, target, {
      env: envOf(harness),
      signal: AbortSignal.abort(),
    });
    expect(outcome).toMatchObject({ kind: "retry", bytesLeft: false });
    expect(http.requests.length).toBe(before);
  });
});

const speaksFirst = (name: Channel["name"]) => name === "webhook" || name === "slack";

function envOf(harness: Harness, port?: number): ChannelEnv {
  return { PUBLIC_URL: "https://counterfoil.example.test", ...harness.env(port) };
}

/** What every outcome carries, whatever it is. */
function expectEvidence(outcome: SendOutcome): void {
  expect(outcome.why).toMatch(/^[^\n]{5,300}$/);
  expect(outcome.why).not.toContain(WEBHOOK_SECRET);
  expect(outcome.latencyMs).toBeGreaterThanOrEqual(0);
}
