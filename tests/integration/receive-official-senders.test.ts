import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { sign as signGithub } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { type Answered, createProduct, type Product } from "#tests/support/product.ts";
import { addSource, countEvents, findBroken, SENDER_SECRET, send } from "#tests/support/senders.ts";

const EVENTS = 1_000;
const TOGETHER = 100;
const require = createRequire(import.meta.url);

let database: TestDatabase;
let product: Product;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  for (const kind of ["github", "standard-webhooks"] as const)
    await addSource(database.sql, { id: kind, kind });
  await addSource(database.sql, { id: "shop", kind: "stripe", accounts: [{ account: "acct_shop" }] });
});
afterAll(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

async function inGroups<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += TOGETHER)
    await Promise.all(items.slice(at, at + TOGETHER).map(work));
}

type Signed = { body: string; headers: Record<string, string> };

const signers: Record<string, (n: number) => Promise<Signed>> = {
  async shop(n) {
    const type = n % 2 ? "invoice.paid" : "customer.updated";
    const object = { id: `x_${n}`, object: "thing", text: "é€😀".repeat(n % 50) };
    const payload = JSON.stringify({ id: `evt_${n}`, type, livemode: true, created: n, data: { object } });
    const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: SENDER_SECRET } as never);
    return { body: payload, headers: { "stripe-signature": header } };
  },
  async github(n) {
    const body = JSON.stringify({ zen: "é€😀".repeat(n % 50), hook_id: n, hook: {} });
    const signature = await signGithub(SENDER_SECRET, body);
    const headers = { "x-github-event": "ping", "x-github-delivery": `guid-${n}` };
    return { body, headers: { ...headers, "x-hub-signature-256": signature } };
  },
  async "standard-webhooks"(n) {
    const body = JSON.stringify({ type: "thing.made", data: { id: n, text: "é€😀".repeat(n % 50) } });
    const now = new Date();
    const family = n % 2 ? "webhook" : "svix";
    const headers = {
      [`${family}-id`]: `msg_${n}`,
      [`${family}-timestamp`]: String(Math.floor(now.getTime() / 1000)),
      [`${family}-signature`]: new Webhook(SENDER_SECRET).sign(`msg_${n}`, now, body),
    };
    return { body, headers };
  },
};

describe("a thousand events signed by the official library", () => {
  it.each(Object.keys(signers))(
    "of %s are taken, and not one of them with one bit changed",
    async (source) => {
      const events = await Promise.all(Array.from({ length: EVENTS }, (_, n) => signers[source]!(n)));
      await inGroups(events, async ({ body, headers }) => {
        const bytes = Buffer.from(body);
        const [at, bit] = [randomBytes(2).readUInt16LE() % bytes.length, randomBytes(1)[0]! % 8];
        bytes[at]! ^= 1 << bit;
        expect((await product.post(source, bytes, headers)).status).toBe(401);
      });
      expect(await countEvents(database.sql, source)).toBe(0);
      await inGroups(events, async ({ body, headers }) => {
        const { status, answer } = await product.post(source, body, headers);
        expect([status, ["accepted", "ignored"].includes(answer.status)]).toEqual([200, true]);
      });
      expect(await countEvents(database.sql, source)).toBe(EVENTS);
    },
  );
});

describe("every payload of @octokit/webhooks-examples", () => {
  const SETS = ["api.github.com", "ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35"];
  type Definition = { name: string; examples: unknown[] };

  it.each(SETS)("of %s is received, identified and kept", async (set) => {
    const source = `gh-${set.replaceAll(".", "-")}`;
    await addSource(database.sql, { id: source, kind: "github" });
    const definitions: Definition[] = require(`@octokit/webhooks-examples/${set}/index.json`);
    const bodies = new Map(
      definitions.flatMap(({ name, examples }) => examples.map((payload) => [JSON.stringify(payload), name])),
    );
    expect(bodies.size).toBeGreaterThan(40);
    const answers = new Map<string, Answered["answer"]>();
    await inGroups([...bodies], async ([body, type]) => {
      const { status, answer } = await send(product, source, { body, type });
      expect(status).toBe(200);
      answers.set(answer.event, answer);
    });
    const rows = await database.sql`
      select e.id, e.type, e.status, e.why, convert_from(b.body, 'UTF8') as body
      from inbox_events e join inbox_bodies b on b.inbox_event_id = e.id where e.source_id = ${source}`;
    expect(rows).toHaveLength(bodies.size);
    for (const { id, type, status, why, body } of rows) {
      expect([type, why, status]).not.toContain("quarantined");
      expect(type.split(".")[0]).toBe(bodies.get(body));
      expect(answers.has(id)).toBe(true);
    }
  });
});
