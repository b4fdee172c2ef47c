import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { nats } from "#lib/channels/nats.ts";
import type { Target } from "#lib/channels/types.ts";
import { makeMessage, makeOutbound, sendOnce } from "#tests/support/channel-call.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "#tests/support/peers/certificate.ts";
import { natsServer, startNatsPeer } from "#tests/support/peers/nats-peer.ts";

describe("the target", () => {
  const check = (target: Partial<Target>, allowed = "127.0.0.0/8") =>
    nats.checkTarget({ url: null, to: null, secret: null, ...target }, makeOutbound(allowed));

  it("is a server and a subject, which may stand in the url's path", () => {
    expect(check({ url: "nats://127.0.0.1:4222", to: "credits.granted" })).toBeNull();
    expect(check({ url: "nats://127.0.0.1:4222/credits.granted" })).toBeNull();
    expect(check({ url: "tls://nats.example.test", to: "credits" })).toBeNull();
    expect(check({ url: "nats://127.0.0.1:4222" })).toMatch(/subject/);
  });

  it.each(["a b", "a.*", "a.>", "$JS.API.STREAM.DELETE.x", "a..b", ".a", "a\r\nPUB b 0", "é".repeat(300)])(
    "does not publish to %j",
    (to) => expect(check({ url: "nats://127.0.0.1", to })).toMatch(/subject/),
  );

  it("goes in the clear only where OUTBOUND_ALLOW says so, and to no private address", async () => {
    expect(check({ url: "nats://nats.example.test", to: "a" }, "")).toMatch(/tls/);
    expect(check({ url: "tls://10.0.0.5", to: "a" })).toMatch(/private/);
    const rebound = makeOutbound("", async () => [{ address: "10.0.0.5", family: 4 }]);
    const outcome = await sendOnce(nats, { url: "tls://nats.example.test", to: "a" }, { outbound: rebound });
    expect(outcome).toMatchObject({
      kind: "retry",
      blame: "destination",
      code: "blocked_address",
      bytesLeft: false,
    });
  });
});

if (!natsServer) console.warn("no nats-server on the PATH: its tests are skipped");

describe.skipIf(!natsServer)("with a real nats-server", () => {
  let peer: Awaited<ReturnType<typeof startNatsPeer>>;
  beforeAll(async () => {
    peer = await startNatsPeer();
    const connection = await connect({ servers: peer.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: "CREDITS", subjects: ["credits.>"], duplicate_window: 120 * 1e9 });
    await manager.streams.add({ name: "SMALL", subjects: ["small"], max_msg_size: 10 });
    await manager.streams.add({ name: "FULL", subjects: ["full"], max_msgs: 1, discard: "new" as never });
    await manager.streams.add({ name: "SHORT", subjects: ["short"], max_msgs: 1 });
    await connection.close();
  });
  afterAll(() => peer?.close());

  const target = (to = "credits.granted") => ({ url: peer.url, to });

  /** Everything on a subject: message ids and bodies. */
  async function read(subject: string): Promise<{ id: string; body: string }[]> {
    const connection = await connect({ servers: peer.url });
    const consumer = await jetstream(connection).consumers.get("CREDITS", { filter_subjects: subject });
    const found: { id: string; body: string }[] = [];
    const { num_pending } = await consumer.info();
    if (num_pending > 0)
      for await (const message of await consumer.fetch({ max_messages: num_pending, expires: 2_000 }))
        found.push({ id: message.headers?.get("Nats-Msg-Id") ?? "", body: message.string() });
    await connection.close();
    return found;
  }

  it("is accepted when the stream acknowledges, under the message's id", async () => {
    const message = makeMessage(nats);
    const outcome = await sendOnce(nats, target("credits.a"), { message });
    expect(outcome).toMatchObject({ kind: "accepted", bytesLeft: true });
    expect(JSON.parse(outcome.responseBody!)).toMatchObject({ stream: "CREDITS", duplicate: false });
    expect(await read("credits.a")).toEqual([
      { id: message.id, body: (message.content as { body: string }).body },
    ]);
  });

  it("is accepted again as a duplicate, and stored once", async () => {
    const message = makeMessage(nats);
    await sendOnce(nats, target("credits.b"), { message });
    const outcome = await sendOnce(nats, target("credits.b"), { message: { ...message, attempt: 2 } });
    expect(outcome).toMatchObject({ kind: "accepted", why: /had it already/ });
    expect(await read("credits.b")).toHaveLength(1);
  });

  it("blames the destination where no stream listens or the stream is full, and the message where it is too large", async () => {
    expect(await sendOnce(nats, target("nobody"))).toMatchObject({ kind: "retry", blame: "destination" });
    expect(await sendOnce(nats, target("full"))).toMatchObject({ kind: "accepted" });
    expect(await sendOnce(nats, target("full"))).toMatchObject({ kind: "retry", blame: "destination" });
    expect(await sendOnce(nats, target("small"))).toMatchObject({ kind: "rejected" });
  });

  it("asks the stream whether a message arrived", async () => {
    const call = {
      signal: AbortSignal.timeout(5_000),
      outbound: makeOutbound(),
      policy: "reconcile" as const,
      env: { PUBLIC_URL: "" },
    };
    const full = (to: string) => ({ url: peer.url, to, secret: null });
    const [sent, missing] = [makeMessage(nats), makeMessage(nats)];
    await sendOnce(nats, target("credits.c"), { message: sent });
    expect(await nats.reconcile!(sent, full("credits.c"), call)).toMatchObject({ kind: "arrived" });
    expect(await nats.reconcile!(missing, full("credits.c"), call)).toMatchObject({ kind: "absent" });
    for (const message of [sent, missing]) await sendOnce(nats, target("short"), { message });
    expect(await nats.reconcile!(sent, full("short"), call)).toMatchObject({ kind: "cannot_tell" });
    expect(await nats.reconcile!(sent, full("nobody"), call)).toMatchObject({ kind: "cannot_tell" });
  });

  describe("and one that misbehaves", () => {
    let bad: Awaited<ReturnType<typeof startNatsPeer>>;
    afterEach(() => bad.close());

    it("stops answering after the message was written: unknown", async () => {
      bad = await startNatsPeer();
      const connection = await connect({ servers: bad.url });
      // A subscriber that takes the request and says nothing stands for a stream whose acknowledgement is lost.
      const taken = Promise.withResolvers<void>();
      connection.subscribe("silent", { callback: () => taken.resolve() });
      await connection.flush();
      const outcome = sendOnce(nats, { url: bad.url, to: "silent" }, { deadline: 1_000 });
      await taken.promise;
      expect(await outcome).toMatchObject({ kind: "unknown", code: "timeout", bytesLeft: true });
      await connection.close();
    });

    it("dies after the message was written: unknown", async () => {
      bad = await startNatsPeer();
      const connection = await connect({ servers: bad.url, reconnect: false });
      const taken = Promise.withResolvers<void>();
      connection.subscribe("silent", { callback: () => taken.resolve() });
      await connection.flush();
      const outcome = sendOnce(nats, { url: bad.url, to: "silent" });
      await taken.promise;
      await bad.kill();
      expect(await outcome).toMatchObject({ kind: "unknown", code: "reset", bytesLeft: true });
    });

    it("wants a login: its answer is the destination's, and the right one lets us in", async () => {
      bad = await startNatsPeer('authorization { user: "counterfoil", password: "s3cret" }');
      const to = { url: bad.url, to: "a" };
      const refused = { kind: "retry", blame: "destination", code: "unauthorized", bytesLeft: false };
      expect(await sendOnce(nats, to)).toMatchObject(refused);
      expect(await sendOnce(nats, { ...to, secret: "counterfoil:wrong" })).toMatchObject(refused);
      expect(await sendOnce(nats, { ...to, secret: "counterfoil:s3cret" })).toMatchObject({
        why: /no stream/,
      });
    });

    it("speaks TLS under its name, at an address that was checked; a name that it is not gets nothing", async () => {
      const directory = mkdtempSync(join(tmpdir(), "counterfoil-nats-tls-"));
      const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
      writeFileSync(cert, CERTIFICATE);
      writeFileSync(key, CERTIFICATE_KEY);
      bad = await startNatsPeer(`tls { cert_file: "${cert}", key_file: "${key}" }`);
      const outbound = makeOutbound("127.0.0.0/8", async () => [{ address: "127.0.0.1", family: 4 }]);
      const send = (host: string, scheme = "tls") =>
        sendOnce(nats, { url: `${scheme}://${host}:${bad.port}`, to: "a" }, { outbound });
      const failed = { kind: "retry", blame: "destination", code: "tls", bytesLeft: false };
      expect(await send("hooks.example.test")).toMatchObject(failed);
      const before = getCACertificates("default");
      setDefaultCACertificates([...before, CERTIFICATE]);
      try {
        expect(await send("hooks.example.test")).toMatchObject({ why: /no stream/, bytesLeft: true });
        expect(await send("other.example.test")).toMatchObject(failed);
        expect(await send("hooks.example.test", "nats")).toMatchObject({ ...failed, why: /tls:\/\/ url/ });
      } finally {
        setDefaultCACertificates(before);
        rmSync(directory, { recursive: true });
      }
    });

    it("does not let us publish there: the destination's", async () => {
      bad = await startNatsPeer(
        'authorization { users: [{ user: "a", password: "b", permissions: { publish: "other", subscribe: ">" } }] }',
      );
      expect(await sendOnce(nats, { url: bad.url, to: "a", secret: "a:b" })).toMatchObject({
        kind: "retry",
        blame: "destination",
        code: "unauthorized",
      });
    });
  });
});
