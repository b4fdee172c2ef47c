import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { releaseByAccounts } from "#lib/inbox/release.ts";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { CHECKLIST } from "#lib/sources/contract-schema.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import {
  addSource,
  countEvents,
  findBroken,
  findEvent,
  type NewSource,
  send,
  signFor,
  storeContract,
} from "#tests/support/senders.ts";

let database: TestDatabase;
let product: Product;
let sources = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterAll(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const VERIFICATION = {
  signature: { header: "X-Sinalio-Signature", prefix: "sha256=" },
  signedContent: "{timestamp}.{body}",
  timestamp: { kind: "per-attempt", from: { header: "X-Sinalio-Timestamp" } },
};
const EVENT = {
  id: { path: "id" },
  type: { path: "event" },
  account: { path: "project", required: true },
  subject: "feedback.id",
};
const COMPLETE = {
  version: 1,
  verification: VERIFICATION,
  event: EVENT,
  types: { "feedback.created": { meaning: "Somebody wrote feedback." } },
  delivery: { timeoutSeconds: 10, retryWindowHours: 24, replay: { by: "none" } },
};
const KNOWS_VERIFICATION = { version: 1, verification: VERIFICATION, confirmed: ["authenticity"] };
const KNOWS_EVENTS = { ...COMPLETE, confirmed: ["authenticity", "catalogue"] };
const CONFIRMED = { ...COMPLETE, confirmed: CHECKLIST };

async function add(contract?: unknown, source: Partial<NewSource> = {}): Promise<string> {
  const id = `sinalio-${++sources}`;
  await addSource(database.sql, {
    id,
    kind: "sinalio",
    accounts: [{ account: "p1", own: true }],
    ...(contract !== undefined && { contract }),
    ...source,
  });
  return id;
}
const feedback = (id: string, overrides: object = {}) =>
  JSON.stringify({
    id,
    event: "feedback.created",
    project: "p1",
    feedback: { id: `fb_${id}` },
    ...overrides,
  });

/** As the receiver would find it signed, whatever is configured by now. */
async function signed(body: string): Promise<Record<string, string>> {
  await database.sql`insert into sources (id, kind, name) values ('signer', 'sinalio', 'x') on conflict do nothing`;
  await storeContract(database.sql, "signer", CONFIRMED);
  return signFor(database.sql, "signer", { body });
}

describe("a sender that nothing is known of", () => {
  it("gets 503, though the signature would be right, and nothing is kept", async () => {
    const source = await add();
    const body = feedback("e1");
    const { status, headers } = await product.post(source, body, await signed(body));
    expect([status, headers["retry-after"]]).toEqual([503, "5"]);
    await storeContract(database.sql, source, { version: 1, verification: VERIFICATION });
    expect((await product.post(source, body, await signed(body))).status).toBe(503);
    expect(await countEvents(database.sql, source)).toBe(0);
    const [captures] = await database.sql`select count(*)::int as rows from source_captures`;
    expect(captures).toEqual({ rows: 0 });
  });

  it("is captured while an admin asks for it: whole requests without credentials, a hundred a day, still 503", async () => {
    const source = await add();
    await database.sql`update sources set capture_until = now() + interval '1 day' where id = ${source}`;
    const capture = async (n: number) => {
      const headers = {
        ...(await signed(feedback(`c${n}`))),
        authorization: "Bearer secret",
        cookie: "session=secret",
        "proxy-authorization": "Basic secret",
        "x-other": "é",
      };
      return (await product.post(source, feedback(`c${n}`), headers)).status;
    };
    expect(new Set(await Promise.all(Array.from({ length: 120 }, (_, n) => capture(n))))).toEqual(
      new Set([503]),
    );
    const rows = await database.sql`
      select method, headers, convert_from(body, 'UTF8') as body from source_captures where source_id = ${source}`;
    expect(rows).toHaveLength(100);
    expect(Object.keys(rows[0]!.headers).sort()).toEqual([
      "x-other",
      "x-sinalio-signature",
      "x-sinalio-timestamp",
    ]);
    expect(JSON.stringify(rows)).not.toContain("secret");
    expect(JSON.parse(rows[0]!.body)).toMatchObject({ event: "feedback.created" });
    expect(await countEvents(database.sql, source)).toBe(0);

    await database.sql`update source_captures set at = at - interval '25 hours' where source_id = ${source}`;
    expect(await capture(200)).toBe(503);
    await database.sql`update sources set capture_until = now() - interval '1 second' where id = ${source}`;
    await capture(201);
    const [count] = await database.sql`
      select count(*)::int as rows from source_captures where source_id = ${source}`;
    expect(count).toEqual({ rows: 101 });
  });

  it("has its bodies bounded while they are captured", async () => {
    const source = await add(undefined, { settings: { maxBodyBytes: 1024 } });
    await database.sql`update sources set capture_until = now() + interval '1 day' where id = ${source}`;
    expect((await product.post(source, "x".repeat(1025))).status).toBe(413);
  });
});

describe("verified events while the checklist is open", () => {
  it("are accepted at once, kept as waiting, and are no work for anybody", async () => {
    const source = await add();
    const body = feedback("e1");
    expect((await product.post(source, body, await signed(body))).status).toBe(503);
    await storeContract(database.sql, source, KNOWS_EVENTS);
    const { status, answer } = await send(product, source, { body });
    expect([status, answer.status]).toEqual([200, "accepted"]);
    expect((await product.work()).claimed).toBe(0);
    expect(await sweepWaiting(database.sql)).toBe(0);
    expect(await findEvent(database.sql, answer.event)).toMatchObject({
      status: "waiting",
      waitsKind: "contract",
      eventId: "e1",
      account: "p1",
      why: "the sender's contract is not confirmed: identities, scoping, delivery, replay, eligibility",
    });
    expect((await product.post(source, body, { "x-sinalio-signature": "sha256=00" })).status).toBe(401);
  });

  it("of an account that is configured meanwhile are not released by that", async () => {
    const source = await add(KNOWS_EVENTS);
    const { answer } = await send(product, source, { body: feedback("e1", { project: "p2" }) });
    await database.sql`
      insert into source_accounts (source_id, account, tenant_id, mode, own) values (${source}, 'p2', 'acme', 'live', false)`;
    await database.sql.begin((tx) => releaseByAccounts(tx, source, ["p2"]));
    await sweepWaiting(database.sql);
    expect(await findEvent(database.sql, answer.event)).toMatchObject({ waitsKind: "contract" });
    await storeContract(database.sql, source, CONFIRMED);
    await sweepWaiting(database.sql);
    expect(await findEvent(database.sql, answer.event)).toMatchObject({ account: "p2", waitsKind: null });
  });

  it("are released when it is confirmed, to where they would have gone", async () => {
    const source = await add(KNOWS_EVENTS);
    const known = await send(product, source, { body: feedback("e1") });
    const stranger = await send(product, source, { body: feedback("e2", { project: "p2" }) });
    await storeContract(database.sql, source, CONFIRMED);
    expect(await sweepWaiting(database.sql)).toBe(2);
    await product.workUntilIdle();
    expect(await findEvent(database.sql, known.answer.event)).toMatchObject({
      status: expect.stringMatching(/^(done|ignored)$/),
      subject: "fb_e1",
    });
    expect(await findEvent(database.sql, stranger.answer.event)).toMatchObject({
      status: "waiting",
      waitsKind: "account",
      account: "p2",
    });
    expect(await sweepWaiting(database.sql)).toBe(0);
  });

  it("that could not be read yet are identified by the confirmed contract, and their repetitions are found out", async () => {
    const source = await add(KNOWS_VERIFICATION);
    const answers = [];
    for (const body of [
      feedback("e1"),
      feedback("e1", { attempt: 2 }),
      feedback("e1", { feedback: { id: "other" } }),
      feedback("e2"),
      '{"event":"feedback.created"}',
      "not JSON",
    ]) {
      answers.push((await send(product, source, { body })).answer);
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(5).fill("accepted"), "quarantined"]);
    expect(await findEvent(database.sql, answers[0]!.event)).toMatchObject({
      type: "unidentified",
      eventId: expect.stringMatching(/^body:[0-9a-f]{64}$/),
    });
    const identity = { ...EVENT, identityPaths: ["feedback.id"] };
    await storeContract(database.sql, source, { ...CONFIRMED, event: identity });
    expect(await sweepWaiting(database.sql)).toBe(5);
    await product.workUntilIdle();
    const first = answers[0]!.event;
    const rows = await Promise.all(answers.map(({ event }) => findEvent(database.sql, event)));
    expect(rows.map(({ eventId, status, why }) => [eventId.slice(0, 5), status, why])).toEqual([
      ["e1", expect.stringMatching(/done|ignored/), expect.anything()],
      ["body:", "ignored", `the same event came as ${first}`],
      ["body:", "quarantined", `the event ${first} has the same id and other content`],
      ["e2", expect.stringMatching(/done|ignored/), expect.anything()],
      ["body:", "quarantined", "the event has no usable id"],
      ["body:", "quarantined", "the body is not valid JSON"],
    ]);
    expect(rows[3]).toMatchObject({ type: "feedback.created", account: "p1", subject: "fb_e2" });
    // The sender's own retry of any of them meets the key that it has now; a receiver knows of that within a second.
    const informed = await createProduct(database.sql, { seeded: false });
    expect((await send(informed, source, { body: feedback("e2") })).answer).toEqual({
      status: "duplicate",
      event: answers[3]!.event,
    });
  });

  it("are identified by a header that nobody knew to be the id, and a replayed body is told", async () => {
    const source = await add(KNOWS_VERIFICATION);
    const deliver = (id: string, body: string, extra = {}) =>
      send(product, source, { body, headers: { "x-sinalio-id": id, cookie: "secret", ...extra } });
    const [one, two] = [await deliver("h1", feedback("x")), await deliver("h2", feedback("y"))];
    const again = await deliver("h1", feedback("x"));
    expect(again.answer).toEqual({ status: "duplicate", event: one.answer.event });
    const { headers } = await findEvent(database.sql, one.answer.event);
    expect(headers).toMatchObject({ "x-sinalio-id": "h1" });
    expect(headers).not.toHaveProperty("cookie");
    await storeContract(database.sql, source, {
      ...CONFIRMED,
      event: { ...EVENT, id: { header: "X-Sinalio-Id", signed: false } },
    });
    expect(await sweepWaiting(database.sql)).toBe(2);
    expect(await findEvent(database.sql, one.answer.event)).toMatchObject({ eventId: "h1" });
    expect(await findEvent(database.sql, two.answer.event)).toMatchObject({ eventId: "h2" });
    // For a second the receiver may go by the contract as it was; then the sweep finds out.
    const replayed = await deliver("h3", feedback("x"));
    await sweepWaiting(database.sql);
    expect(await findEvent(database.sql, replayed.answer.event)).toMatchObject({
      status: "quarantined",
      why: expect.stringContaining("suspected_replay"),
    });
  });

  it("more than one step of them, by two sweeps at once, are each released once", async () => {
    const source = await add(KNOWS_VERIFICATION);
    await Promise.all(
      Array.from({ length: 250 }, (_, n) => send(product, source, { body: feedback(`m${n}`) })),
    );
    await storeContract(database.sql, source, CONFIRMED);
    const released = await Promise.all([sweepWaiting(database.sql), sweepWaiting(database.sql)]);
    expect(released[0] + released[1] + (await sweepWaiting(database.sql))).toBe(250);
    const [row] = await database.sql`
      select count(distinct event_id)::int as ids, count(*) filter (where waits_kind = 'contract')::int as left
      from inbox_events where source_id = ${source} and event_id like 'm%'`;
    expect(row).toEqual({ ids: 250, left: 0 });
  });
});
