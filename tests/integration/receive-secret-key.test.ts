import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listSources } from "#lib/admin/describe-source.ts";
import { withSecretsJudged } from "#lib/admin/secret-health.ts";
import { EnvError, parseEnv } from "#lib/env.ts";
import { loadSource } from "#lib/sources/load.ts";
import { reencryptSecrets } from "#lib/sources/reencrypt-secrets.ts";
import { createSecretAlarm, type SecretAlarm } from "#lib/sources/secret-alarm.ts";
import { identifyKey } from "#lib/sources/secrets.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { startProcess } from "#tests/support/processes.ts";
import { createProduct, type Product, SECRET, SECRET_KEY } from "#tests/support/product.ts";
import { addSource, findBroken, SENDER_SECRET } from "#tests/support/senders.ts";
import { signStripe, stripeEvent } from "#tests/support/stripe-events.ts";

const NEW_KEY = randomBytes(32);

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const receiverWith = (...secretKeys: Buffer[]) =>
  createProduct(database.sql, { seeded: false, secretKeys, onUnavailable: () => {} });
const stored = () =>
  database.sql`select source_id, key_id, fingerprint from source_secrets order by source_id, id`;

describe("after a change of SECRET_KEY", () => {
  it("secrets open under the old key while it is named, and not without it", async () => {
    expect((await (await receiverWith(NEW_KEY)).deliver(stripeEvent())).status).toBe(503);
    expect((await (await receiverWith(NEW_KEY, SECRET_KEY)).deliver(stripeEvent())).status).toBe(200);
  });

  it("a source is called ready only while one of its secrets opens", async () => {
    const readiness = async (...keys: Buffer[]) => {
      const sources = await withSecretsJudged(database.sql, keys, await listSources(database.sql));
      return sources.find(({ id }) => id === "stripe")!.readiness;
    };
    expect(await readiness(NEW_KEY, SECRET_KEY)).toEqual({ state: "ready" });
    const closed = await readiness(NEW_KEY);
    expect(closed).toMatchObject({ state: "unconfigured", why: expect.stringContaining("SECRET_KEY") });
  });

  it("they move to the new one once, and keep the fingerprint that events know them by", async () => {
    await addSource(database.sql, { id: "gh", kind: "github", secrets: [SENDER_SECRET, SECRET] });
    const before = await stored();
    const results = await Promise.all(
      Array.from({ length: 3 }, () => reencryptSecrets(database.sql, NEW_KEY, [SECRET_KEY])),
    );
    expect(results.reduce((sum, { moved }) => sum + moved, 0)).toBe(3);
    expect(await reencryptSecrets(database.sql, NEW_KEY, [SECRET_KEY])).toEqual({ moved: 0, unreadable: [] });
    const after = await stored();
    expect(after.map(({ key_id }) => key_id)).toEqual(Array(3).fill(identifyKey(NEW_KEY)));
    expect(after.map(({ fingerprint }) => fingerprint)).toEqual(before.map(({ fingerprint }) => fingerprint));
    expect((await (await receiverWith(NEW_KEY)).deliver(stripeEvent())).status).toBe(200);
    const source = await loadSource(database.sql, "gh", NEW_KEY);
    expect(new Set(source?.secrets.map(({ text }) => text))).toEqual(new Set([SENDER_SECRET, SECRET]));
  });

  it("those that no key opens stay as they are, and their sources are named", async () => {
    await addSource(database.sql, { id: "lost", kind: "github", secretKey: randomBytes(32) });
    expect(await reencryptSecrets(database.sql, NEW_KEY, [SECRET_KEY])).toEqual({
      moved: 1,
      unreadable: ["lost"],
    });
    await database.sql`update source_secrets set ciphertext = '\\x00' where source_id = 'stripe'`;
    expect(await reencryptSecrets(database.sql, SECRET_KEY, [NEW_KEY])).toEqual({
      moved: 0,
      unreadable: ["lost", "stripe"],
    });
  });
});

describe("a secret that cannot be opened", () => {
  it("makes its source answer 503, in a process that says so once, names it, and not the secret", async () => {
    const receiver = startProcess("tests/faults/support/receiver-process.ts", {
      DATABASE_URL: database.url,
      SECRET_KEY: NEW_KEY.toString("base64"),
      LOG_LEVEL: "info",
    });
    const [, port] = await receiver.until(/listening on (\d+)/);
    const body = JSON.stringify(stripeEvent());
    for (let n = 0; n < 3; n++) {
      const response = await fetch(`http://127.0.0.1:${port}/api/webhooks/stripe`, {
        method: "POST",
        body,
        headers: { "stripe-signature": signStripe(body, SECRET) },
      });
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    }
    await receiver.until(/no usable secret/);
    await receiver.kill();
    const lines = receiver
      .output()
      .match(/^\{.*no usable secret.*$/gm)!
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 50,
      source: "stripe",
      unusable: [{ why: "it was encrypted under another SECRET_KEY, or is damaged" }],
    });
    expect(receiver.output()).not.toContain(SECRET);
  });

  it("is told once a minute per source, and again after it was repaired and broke anew", async () => {
    await addSource(database.sql, { id: "mixed", kind: "github", secrets: [SENDER_SECRET, "short"] });
    await addSource(database.sql, { id: "closed", kind: "github", secrets: ["   "] });
    const told: SecretAlarm[] = [];
    let now = 0;
    const alarm = createSecretAlarm(
      (about) => told.push(about),
      () => now,
    );
    const load = async (id: string) => alarm((await loadSource(database.sql, id, SECRET_KEY))!);
    for (now = 0; now < 60_000; now += 1_000) await load("mixed");
    await load("closed");
    await load("stripe");
    expect(told.map(({ source, closed }) => [source, closed])).toEqual([
      ["mixed", false],
      ["closed", true],
    ]);
    expect(told[0]?.unusable).toEqual([
      { fingerprint: expect.any(String), why: "the secret must have at least 16 characters" },
    ]);
    await load("mixed");
    expect(told).toHaveLength(3);
    const [row] = await database.sql`delete from source_secrets where source_id = 'closed' returning *`;
    await load("closed");
    await database.sql`insert into source_secrets ${database.sql(row!)}`;
    await load("closed");
    expect(told).toHaveLength(4);
    await product.workUntilIdle();
  });
});

it("SECRET_KEY_OLD is checked like SECRET_KEY", () => {
  expect(parseEnv({ SECRET_KEY_OLD: NEW_KEY.toString("base64") }).SECRET_KEY_OLD).toBe(
    NEW_KEY.toString("base64"),
  );
  expect(() => parseEnv({ SECRET_KEY_OLD: "short" })).toThrow(EnvError);
});
