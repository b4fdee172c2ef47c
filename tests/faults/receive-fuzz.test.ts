import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { type Running, startProcess } from "#tests/support/processes.ts";
import { createProduct, SECRET, SECRET_KEY } from "#tests/support/product.ts";
import { sendBytes } from "#tests/support/raw-http.ts";
import { addSource, findBroken } from "#tests/support/senders.ts";
import { signStripe, stripeEvent } from "#tests/support/stripe-events.ts";
import { digestOf, type FuzzRequest, fuzzRequests } from "./support/fuzz-requests.ts";

/** The nightly run sends 20,000. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const TOGETHER = 20;

let database: TestDatabase;
let receiver: Running;
let port: number;
/** Digests of the bodies that were authentic, by source. */
const authentic = new Map<string, Set<string>>();
const answers: Record<string, number> = {};

beforeAll(async () => {
  database = await createTestDatabase();
  await createProduct(database.sql);
  const accounts = [{ account: "own", own: true }];
  await addSource(database.sql, { id: "stripe-1", kind: "stripe", accounts });
  await addSource(database.sql, { id: "github-1", kind: "github", accounts });
  await addSource(database.sql, { id: "std-1", kind: "standard-webhooks", accounts });
  await addSource(database.sql, { id: "pay-1", kind: "payments", accounts });
  receiver = startProcess("tests/faults/support/receiver-process.ts", {
    DATABASE_URL: database.url,
    SECRET_KEY: SECRET_KEY.toString("base64"),
    LOG_LEVEL: "warn",
    MAX_BODY_BYTES: "16384",
  });
  port = Number((await receiver.until(/listening on (\d+)/))[1]);
});
afterAll(async () => {
  await receiver.kill();
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

type Stored = { event: string; digest: string };

async function send(request: FuzzRequest): Promise<Stored | null> {
  const { source, head, body, bytes, end, what } = request;
  const expectsAnswer = request.authentic && bytes.length <= 16_384;
  if (request.authentic) {
    authentic.set(source, (authentic.get(source) ?? new Set()).add(digestOf(bytes)));
  }
  const answer = await sendBytes(port, [head, body], { end });
  answers[String(answer.status)] = (answers[String(answer.status)] ?? 0) + 1;
  // No fault of ours in any answer, and none that only says "later": the database is there.
  expect([what, answer.status !== null && answer.status >= 500]).toEqual([what, false]);
  expect([what, answer.status === 200, answer.body]).toEqual([what, expectsAnswer, answer.body]);
  if (answer.status !== 200) return null;
  const { status, event } = JSON.parse(answer.body);
  expect(["accepted", "ignored", "duplicate", "quarantined"]).toContain(status);
  return { event, digest: digestOf(bytes) };
}

/** Every place in which bytes are kept; a repetition is kept by its digest alone. */
const KEPT = `
  select b.inbox_event_id::text as event, encode(sha256(b.body), 'hex') as digest from inbox_bodies b
  union select inbox_event_id::text, encode(body_digest, 'hex') from inbox_deliveries
  union select inbox_event_id::text, encode(sha256(body), 'hex') from inbox_conflicts`;

it(`${REQUESTS} odd requests: nothing valid is lost, nothing else gets in, and the process lives`, {
  timeout: 600_000,
}, async () => {
  const batches = fc.array(fuzzRequests, { minLength: TOGETHER, maxLength: TOGETHER });
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      const stored = (await Promise.all(batch.map(send))).filter((each) => each !== null);
      const rows = await database.sql.unsafe<Stored[]>(`select * from (${KEPT}) kept where event = any($1)`, [
        stored.map(({ event }) => event),
      ]);
      const kept = new Set(rows.map(({ event, digest }) => `${event} ${digest}`));
      expect(stored.filter(({ event, digest }) => !kept.has(`${event} ${digest}`))).toEqual([]);
    }),
    // Not shrunk: that takes minutes, and signatures grow stale. A failure names its request, and the seed repeats its shape.
    {
      numRuns: Math.ceil(REQUESTS / TOGETHER),
      endOnFailure: true,
      interruptAfterTimeLimit: 500_000,
      markInterruptAsFailure: true,
    },
  );

  const rows = await database.sql.unsafe<{ source: string; digest: string }[]>(
    `select e.source_id as source, kept.digest from (${KEPT}) kept join inbox_events e on e.id::text = kept.event`,
  );
  expect(rows.filter(({ source, digest }) => !authentic.get(source)?.has(digest))).toEqual([]);

  const body = JSON.stringify(stripeEvent());
  const last = await sendBytes(port, [
    `POST /api/webhooks/stripe HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`,
    `Stripe-Signature: ${signStripe(body, SECRET)}\r\n\r\n`,
    body,
  ]);
  expect(last.status).toBe(200);
  console.log(`answers by status: ${JSON.stringify(answers)}; bodies kept: ${rows.length}`);
  // Nothing that was sent may have made it complain.
  expect(receiver.output().split("\n").slice(1).join("")).toBe("");
});
