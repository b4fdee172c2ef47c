import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Resolved, Resolver } from "#lib/outbound/types.ts";
import { makeOutbound } from "#tests/support/channel-call.ts";
import { CERTIFICATE } from "#tests/support/peers/certificate.ts";
import { answer, type HttpPeer, startHttpPeer } from "#tests/support/peers/http-peer.ts";
import { startSilentPeer } from "#tests/support/peers/silent-peer.ts";

let plain: HttpPeer;
let encrypted: HttpPeer;
beforeAll(async () => {
  plain = await startHttpPeer(answer(204));
  encrypted = await startHttpPeer(answer(204), { tls: true });
});
afterAll(async () => {
  await Promise.all([plain.close(), encrypted.close()]);
});

const records = (...addresses: string[]): Resolved[] =>
  addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

async function post(url: string, options: { allowed?: string; resolve?: Resolver; deadline?: number } = {}) {
  const outbound = makeOutbound(options.allowed ?? "", options.resolve);
  const signal = AbortSignal.timeout(options.deadline ?? 3_000);
  const result = await outbound.post({ url, headers: {}, body: "{}", signal });
  await outbound.close();
  return result;
}

describe("addresses that a URL spells out", () => {
  it.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://10.0.0.5/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://224.0.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[2002:a9fe:a9fe::]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
  ])("%s is refused before anything is written", async (url) => {
    expect(await post(url)).toMatchObject({ kind: "not_sent", code: "bad_url", why: /OUTBOUND_ALLOW/ });
  });
});

describe("URLs that are no destination", () => {
  it.each([
    ["http://hooks.example.test/", /https/],
    ["https://hooks.example.test:5432/", /port 5432/],
    ["https://user:password@hooks.example.test/", /credentials/],
    ["file:///etc/passwd", /must begin/],
    ["ftp://hooks.example.test/", /must begin/],
    ["https://hooks.example.test/\r\nx: y", /cannot be read/],
    ["https:\\\\hooks.example.test", /cannot be read/],
    ["hooks.example.test", /cannot be read/],
    [`https://hooks.example.test/${"x".repeat(2_100)}`, /longer/],
  ])("%s", async (url, why) => {
    const result = await post(url, { resolve: async () => records("127.0.0.1") });
    expect(result).toMatchObject({ kind: "not_sent", code: "bad_url", why });
    if (result.kind === "not_sent") expect(result.why).not.toContain("password@");
  });
});

describe("names", () => {
  it.each([
    ["a private address", records("10.0.0.5")],
    ["one public and one private address", records("93.184.216.34", "10.0.0.5")],
    ["a private address in IPv6 form", records("::ffff:10.0.0.5")],
    ["the data centre's own service", records("169.254.169.254")],
    ["this machine", records("::1", "127.0.0.1")],
  ])("that lead to %s are refused", async (_what, found) => {
    const result = await post("https://hooks.example.test/", { resolve: async () => found });
    expect(result).toMatchObject({ kind: "not_sent", code: "blocked_address" });
  });

  it.each(["localhost", "localhost."])("%s is refused, as the system resolves it", async (host) => {
    expect(await post(`https://${host}/`)).toMatchObject({ kind: "not_sent" });
    expect(plain.requests).toEqual([]);
  });

  it("are asked once: what was checked is what is connected to", async () => {
    const answers = [records("127.0.0.1"), records("10.0.0.5")];
    let asked = 0;
    const resolve: Resolver = async () => answers[Math.min(asked++, 1)]!;
    const result = await post(`http://hooks.example.test:${plain.port}/`, {
      allowed: "127.0.0.0/8",
      resolve,
    });
    expect(result).toMatchObject({ kind: "answered", status: 204 });
    expect(asked).toBe(1);
    expect(plain.requests.at(-1)!.headers.host).toBe(`hooks.example.test:${plain.port}`);
  });

  it("that flip after one good call are refused at the next connection", async () => {
    let at = 0;
    const flips = [records("127.0.0.1"), records("10.0.0.5")];
    const outbound = makeOutbound("127.0.0.0/8", async () => flips[Math.min(at++, 1)]!);
    const request = {
      url: `http://hooks.example.test:${plain.port}/`,
      headers: {},
      body: "{}",
      signal: AbortSignal.timeout(3_000),
      reuseConnection: false,
    };
    expect(await outbound.post(request)).toMatchObject({ kind: "answered" });
    expect(await outbound.post(request)).toMatchObject({ kind: "not_sent", code: "blocked_address" });
    await outbound.close();
  });

  it("that nobody knows are an attempt to repeat, not a lost one", async () => {
    expect(await post("https://hooks.invalid/")).toMatchObject({ kind: "not_sent", code: "dns" });
    const none = await post("https://hooks.example.test/", { resolve: async () => [] });
    expect(none).toMatchObject({ kind: "not_sent", code: "dns" });
  });
});

describe("OUTBOUND_ALLOW", () => {
  it("lets through what it names, in the clear and on any port, and nothing beside it", async () => {
    const local = { resolve: async () => records("127.0.0.1") };
    const url = `http://hooks.internal:${plain.port}/`;
    expect(await post(url, { allowed: "hooks.internal", ...local })).toMatchObject({ kind: "answered" });
    expect(await post(url, { allowed: "127.0.0.0/8", ...local })).toMatchObject({ kind: "answered" });
    expect(await post(url, { allowed: "other.internal", ...local })).toMatchObject({ code: "bad_url" });
    expect(await post(url, { allowed: "10.0.0.0/8", ...local })).toMatchObject({ code: "blocked_address" });
    expect(await post(plain.url, { allowed: "127.0.0.1" })).toMatchObject({ kind: "answered" });
    expect(await post(plain.url, { allowed: "127.0.0.2" })).toMatchObject({ code: "bad_url" });
  });

  it("keeps public hosts that it does not name to https, even where it names ranges", async () => {
    const result = await post("http://hooks.example.test/", {
      allowed: "10.0.0.0/8",
      resolve: async () => records("93.184.216.34"),
    });
    expect(result).toMatchObject({ kind: "not_sent", code: "blocked_address", why: /plain http/ });
  });
});

describe("redirects", () => {
  it.each([301, 302, 303, 307, 308])("%i is an answer, and nothing follows it", async (status) => {
    const inner = await startHttpPeer(answer(200, "secrets"));
    plain.behave(answer(status, "", { location: inner.url }));
    expect(await post(plain.url, { allowed: "127.0.0.0/8" })).toMatchObject({ kind: "answered", status });
    plain.behave(answer(204));
    expect(inner.requests).toEqual([]);
    await inner.close();
  });
});

describe("TLS", () => {
  const url = () => `https://hooks.example.test:${encrypted.port}/`;
  const local = { allowed: "127.0.0.0/8", resolve: async () => records("127.0.0.1") };

  it("with a certificate that nobody vouches for: nothing was written", async () => {
    expect(await post(url(), local)).toMatchObject({ kind: "not_sent", code: "tls" });
    expect(encrypted.requests).toEqual([]);
  });

  it("verifies the name, although the connection goes to a checked address", async () => {
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, CERTIFICATE]);
    try {
      expect(await post(url(), local)).toMatchObject({ kind: "answered", status: 204 });
      const other = await post(`https://other.example.test:${encrypted.port}/`, local);
      expect(other).toMatchObject({ kind: "not_sent", code: "tls" });
    } finally {
      setDefaultCACertificates(before);
    }
  });

  it("that never comes about: nothing was written", async () => {
    const silent = await startSilentPeer();
    const result = await post(`https://127.0.0.1:${silent.port}/`, { ...local, deadline: 300 });
    expect(result).toMatchObject({ kind: "not_sent", code: "connect_timeout" });
    await silent.close();
  });

  it("to a server that speaks plain HTTP: nothing was written", async () => {
    expect(await post(`https://127.0.0.1:${plain.port}/`, local)).toMatchObject({
      kind: "not_sent",
      code: "tls",
    });
  });
});

describe("the deadline", () => {
  it("covers the name as well", async () => {
    const result = await post("https://hooks.example.test/", {
      resolve: () => new Promise(() => {}),
      deadline: 200,
    });
    expect(result).toMatchObject({ kind: "not_sent", code: "connect_timeout" });
  });

  it("ends a call, and a connection that comes about afterwards carries nothing", async () => {
    const gate = Promise.withResolvers<Resolved[]>();
    const outbound = makeOutbound("127.0.0.0/8", () => gate.promise);
    const before = plain.requests.length;
    const result = await outbound.post({
      url: `http://hooks.example.test:${plain.port}/`,
      headers: {},
      body: "{}",
      signal: AbortSignal.timeout(100),
    });
    expect(result).toMatchObject({ kind: "not_sent" });
    const connections = plain.connections();
    gate.resolve(records("127.0.0.1"));
    await expect.poll(() => plain.connections()).toBe(connections + 1);
    // A second call on the same server shows that the first one's connection has had its chance.
    expect(await post(plain.url, { allowed: "127.0.0.0/8" })).toMatchObject({ kind: "answered" });
    expect(plain.requests.length).toBe(before + 1);
    await outbound.close();
  });
});
