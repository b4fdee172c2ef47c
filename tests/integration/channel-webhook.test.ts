import { Webhook } from "standardwebhooks";
import { v7 as uuidv7 } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { webhook } from "#lib/channels/webhook.ts";
import {
  makeMessage,
  makeOutbound,
  NOTICES,
  render,
  sendOnce,
  WEBHOOK_SECRET,
} from "#tests/support/channel-call.ts";
import { answer, drip, type HttpPeer, hang, reset, startHttpPeer } from "#tests/support/peers/http-peer.ts";

let peer: HttpPeer;
beforeAll(async () => {
  peer = await startHttpPeer(answer(204));
});
afterAll(() => peer.close());
afterEach(() => {
  vi.useRealTimers();
  peer.requests.length = 0;
});

const target = () => ({ url: peer.url, secret: WEBHOOK_SECRET });
const send = (options: Parameters<typeof sendOnce>[2] = {}) => sendOnce(webhook, target(), options);

describe("an official receiver", () => {
  it("verifies every attempt of a message, hours apart, and knows repeats by their id", async () => {
    const receiver = new Webhook(WEBHOOK_SECRET);
    const seen = new Set<string>();
    const statuses: number[] = [];
    peer.behave((request, response) => {
      // The receiver's clock is the process's: moved along with the attempts.
      receiver.verify(request.body, request.headers);
      const id = request.headers["webhook-id"]!;
      const status = seen.has(id) ? 200 : 500;
      seen.add(id);
      statuses.push(status);
      response.writeHead(status).end();
    });
    const first = new Date("2026-03-03T10:00:00Z");
    const message = makeMessage(webhook, { id: uuidv7(), createdAt: first });
    const kinds: string[] = [];
    for (const [at, hours] of [0, 1, 25, 71].entries()) {
      const now = new Date(first.getTime() + hours * 3_600_000);
      vi.useFakeTimers({ toFake: ["Date"], now });
      kinds.push((await send({ message: { ...message, now, attempt: at + 1 } })).kind);
    }
    expect(kinds).toEqual(["retry", "accepted", "accepted", "accepted"]);
    expect([...seen]).toEqual([message.id]);
    expect(new Set(peer.requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(peer.requests.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(4);
    expect(new Set(peer.requests.map(({ headers }) => headers["webhook-signature"])).size).toBe(4);
  });

  it("does not verify an attempt under another secret, or with one byte changed", async () => {
    peer.behave(answer(204));
    await send();
    const [request] = peer.requests;
    const other = new Webhook(`whsec_${Buffer.alloc(24, 8).toString("base64")}`);
    expect(() => other.verify(request!.body, request!.headers)).toThrow();
    expect(() => new Webhook(WEBHOOK_SECRET).verify(`${request!.body} `, request!.headers)).toThrow();
    expect(new Webhook(WEBHOOK_SECRET).verify(request!.body, request!.headers)).toMatchObject({
      type: "credit.granted",
    });
  });

  it("reads exact amounts, a type, a time and a link, and nothing that a person wrote as feedback", async () => {
    peer.behave(answer(204));
    const granted = structuredClone(NOTICES[0]!);
    if (granted.topic === "credit.granted") granted.data.credits = 9_007_199_254_740_993n;
    await send({ message: makeMessage(webhook, { content: render(webhook, granted) }) });
    await send({ message: makeMessage(webhook, { content: render(webhook, NOTICES[2]!) }) });
    const [amount, feedback] = peer.requests;
    expect(amount!.body).toContain('"credits":9007199254740993,');
    expect(JSON.parse(amount!.body)).toMatchObject({
      type: "credit.granted",
      timestamp: "2026-03-03T10:02:11.000Z",
      data: { invoice: "in_1", link: "https://counterfoil.example.test/inbox/1" },
    });
    expect(feedback!.body).not.toContain("button");
  });
});

describe("the answer", () => {
  it.each([200, 201, 202, 204, 299])("%i acknowledges", async (status) => {
    peer.behave(answer(status, status === 204 ? "" : "thanks"));
    expect(await send()).toMatchObject({ kind: "accepted", status });
  });

  it.each([
    [301, { blame: "message", code: "redirect" }],
    [400, { blame: "message", code: "status" }],
    [401, { blame: "destination", code: "unauthorized" }],
    [403, { blame: "destination", code: "unauthorized" }],
    [404, { blame: "destination", code: "status" }],
    [408, { blame: "message", code: "status" }],
    [410, { blame: "destination", code: "gone", disables: true }],
    [422, { blame: "message", code: "status" }],
    [429, { blame: "destination", code: "throttled" }],
    [500, { blame: "message", code: "status" }],
    [502, { blame: "message", code: "status" }],
    [503, { blame: "message", code: "status" }],
    [504, { blame: "message", code: "status" }],
  ] as const)("%i is a failed attempt", async (status, expected) => {
    peer.behave(answer(status, "why", { location: "https://elsewhere.example.test/" }));
    const outcome = await send();
    expect(outcome).toMatchObject({
      kind: "retry",
      disables: false,
      status,
      responseBody: "why",
      bytesLeft: true,
      ...expected,
    });
  });

  it("may ask for time in seconds, as a date, or in a way that says nothing", async () => {
    const now = new Date("2026-03-03T10:00:00Z");
    const message = makeMessage(webhook, { now });
    const after = async (header: string, status = 503) => {
      peer.behave(answer(status, "", { "retry-after": header }));
      const outcome = await send({ message });
      return outcome.kind === "retry" ? [outcome.after, outcome.blame] : outcome.kind;
    };
    expect(await after("120")).toEqual([120, "destination"]);
    expect(await after("120", 429)).toEqual([120, "destination"]);
    expect(await after("Tue, 03 Mar 2026 10:05:00 GMT")).toEqual([300, "destination"]);
    expect(await after("99999999999")).toEqual([86_400, "destination"]);
    expect(await after("soon")).toEqual([null, "message"]);
    expect(await after("120", 500)).toEqual([120, "message"]);
  });

  it("is kept to its first 4 KB as text that a database can store, however much there is", async () => {
    peer.behave((_request, response) => {
      response.writeHead(500);
      const write = () => {
        while (response.write(`\u0000é${"x".repeat(65_000)}`));
        response.once("drain", write);
      };
      write();
    });
    const outcome = await send();
    expect(outcome).toMatchObject({ kind: "retry", status: 500 });
    expect(outcome.responseBody!.length).toBeGreaterThan(4_000);
    expect(Buffer.byteLength(outcome.responseBody!)).toBeLessThanOrEqual(4_100);
    expect(outcome.responseBody!.slice(0, 3)).toBe("\ufffdéx");
  });

  it("counts by its status where the body drips without end", async () => {
    peer.behave(drip(200));
    expect(await send()).toMatchObject({ kind: "accepted", status: 200, responseBody: /^\.+$/ });
    peer.behave(drip(500));
    expect(await send()).toMatchObject({ kind: "retry", status: 500 });
  });

  it("is not one while it is only provisional", async () => {
    peer.behave((_request, response) => {
      response.writeProcessing();
      response.writeHead(500).end();
    });
    expect(await send()).toMatchObject({ kind: "retry", status: 500 });
  });
});

describe("an attempt whose answer was lost", () => {
  it.each([
    ["reset", reset, "reset"],
    ["read timeout", hang, "timeout"],
  ] as const)(
    "%s: a failed attempt where repeats do no harm, unknown where a person is to decide",
    async (_name, behaviour, code) => {
      peer.behave(behaviour);
      const common = { code, bytesLeft: true, status: null };
      for (const policy of ["duplicate-ok", "idempotent"] as const)
        expect(await send({ policy, deadline: 400 })).toMatchObject({
          kind: "retry",
          blame: "message",
          ...common,
        });
      expect(await send({ policy: "review", deadline: 400 })).toMatchObject({ kind: "unknown", ...common });
    },
  );

  it("502 of a proxy: likewise", async () => {
    peer.behave(answer(502));
    expect(await send({ policy: "duplicate-ok" })).toMatchObject({ kind: "retry", blame: "message" });
    expect(await send({ policy: "review" })).toMatchObject({ kind: "unknown", status: 502 });
  });

  it("a connection that is kept serves the next message too", async () => {
    peer.behave(answer(204));
    const outbound = makeOutbound();
    const before = peer.connections();
    for (let n = 0; n < 10; n++) expect(await send({ outbound })).toMatchObject({ kind: "accepted" });
    // Two, not one: an answer is reported before its connection is free again.
    expect(peer.connections() - before).toBeLessThanOrEqual(2);
    await outbound.close();
  });
});

describe("headers", () => {
  it("carry our own ids and nothing of the payload", async () => {
    peer.behave(answer(204));
    const notice = structuredClone(NOTICES[0]!);
    if (notice.topic === "credit.granted") notice.data.workspace.name = "Zoë\r\nx-evil: 1 \u{1f4a9}";
    const message = makeMessage(webhook, { content: render(webhook, notice) });
    expect(await send({ message })).toMatchObject({ kind: "accepted" });
    const [request] = peer.requests;
    expect(Object.keys(request!.headers).toSorted()).toEqual([
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
      "webhook-id",
      "webhook-signature",
      "webhook-timestamp",
    ]);
    expect(request!.headers["webhook-id"]).toBe(message.id);
    expect(JSON.parse(request!.body).data.workspace.name).toBe("Zoë\r\nx-evil: 1 \u{1f4a9}");
  });

  it("wants a secret that can sign", () => {
    const check = (secret: string | null) =>
      webhook.checkTarget({ url: peer.url, to: null, secret }, makeOutbound());
    expect(check(WEBHOOK_SECRET)).toBeNull();
    expect(check(null)).toMatch(/secret/);
    expect(check("whsec_short")).toMatch(/24 to 64 bytes/);
  });
});
