import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product, SECRET } from "#tests/support/product.ts";
import { addSource, countEvents, findBroken, findEvent, send } from "#tests/support/senders.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  await addSource(database.sql, { id: "gh", kind: "github", accounts: [{ account: "4711", own: true }] });
  await addSource(database.sql, { id: "pay", kind: "payments" });
});
afterAll(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const deliverText = (body: string) =>
  product.post("stripe", body, { "stripe-signature": signStripe(body, SECRET) });

describe("a GitHub hook that sends forms", () => {
  const json = JSON.stringify({
    action: "opened",
    issue: { number: 7, title: "50 % off + more & 😀" },
    repository: { full_name: "acme/shop", owner: { id: 4711 } },
  });
  const form = new URLSearchParams({ payload: json }).toString();
  const FORM = "application/x-www-form-urlencoded";

  it.each([
    ["a form", form, FORM],
    ["a form with a charset", form, `${FORM}; charset=utf-8`],
    ["a form in upper case", form, FORM.toUpperCase()],
    ["JSON", json, "application/json"],
    ["JSON with a charset", json, "application/json; charset=utf-8"],
    ["JSON in upper case", json, "APPLICATION/JSON"],
    ["JSON without any type", json, null],
    ["JSON called text", json, "text/plain"],
  ])("%s is read, and its bytes are kept", async (_, body, contentType) => {
    // Forms and JSON alike are the same bytes over and over, under one delivery id.
    const headers: Record<string, string> = contentType === null ? {} : { "content-type": contentType };
    const { status, answer } = await send(product, "gh", {
      body,
      id: body.slice(0, 8),
      type: "issues",
      headers,
    });
    expect(status).toBe(200);
    expect(["ignored", "duplicate"]).toContain(answer.status);
    const event = await findEvent(database.sql, answer.event);
    expect(event).toMatchObject({ type: "issues.opened", account: "4711", subject: "acme/shop#7" });
    expect(event.body.toString()).toBe(body);
  });

  it.each([
    ["a form that is not one", json, FORM],
    ["JSON that is a form", form, "application/json"],
    ["a form without payload", "a=b", FORM],
    ["a form with two payloads", `${form}&${form}`, FORM],
    ["a multipart body", `--x\r\n\r\n${json}\r\n--x--`, "multipart/form-data; boundary=x"],
  ])("%s is quarantined, not lost and not a fault", async (_, body, contentType) => {
    const headers = { "content-type": contentType };
    const { status, answer } = await send(product, "gh", { body, id: "d1", type: "issues", headers });
    expect([status, answer.status]).toEqual([200, "quarantined"]);
    expect((await findEvent(database.sql, answer.event)).body.toString()).toBe(body);
  });
});

describe("what PostgreSQL cannot keep as text", () => {
  const NUL = "a\u0000b";
  it.each([
    ["NUL in the API version", stripeEvent({ api_version: NUL }), "accepted"],
    ["a lone surrogate in the API version", stripeEvent({ api_version: "\ud800" }), "accepted"],
    ["an endless API version", stripeEvent({ api_version: "x".repeat(100_000) }), "accepted"],
    ["NUL in the object's id", stripeEvent({}, stripeInvoice({ id: NUL })), "accepted"],
    ["NUL in the customer", stripeEvent({}, stripeInvoice({ customer: NUL })), "accepted"],
    ["NUL in the currency", stripeEvent({}, stripeInvoice({ currency: NUL })), "accepted"],
    ["NUL in the status", stripeEvent({}, stripeInvoice({ status: NUL })), "accepted"],
    ["NUL in the billing reason", stripeEvent({}, stripeInvoice({ billing_reason: NUL })), "accepted"],
    ["a legal backslash before u0000", stripeEvent({}, stripeInvoice({ number: "\\u0000" })), "accepted"],
    ["NUL in the event id", stripeEvent({ id: NUL }), "quarantined"],
    ["a lone surrogate in the event id", stripeEvent({ id: "evt_\udfff" }), "quarantined"],
    ["an endless event id", stripeEvent({ id: "x".repeat(256) }), "quarantined"],
    ["NUL in the type", stripeEvent({ type: NUL }), "quarantined"],
    ["NUL in the account", stripeEvent({ account: NUL }), "quarantined"],
    ["an account that looks like one in test mode", stripeEvent({ account: "acct_x~test" }), "quarantined"],
    ["an event id of the longest length, three bytes each", stripeEvent({ id: "€".repeat(255) }), "accepted"],
    ["an id that is __proto__", stripeEvent({ id: "__proto__" }), "accepted"],
  ])("%s", async (_, event, expected) => {
    const body = JSON.stringify(event);
    const { status, answer } = await deliverText(body);
    expect([status, answer.status]).toEqual([200, expected]);
    expect((await findEvent(database.sql, answer.event)).body.toString()).toBe(body);
    await product.workUntilIdle();
    expect((await findEvent(database.sql, answer.event)).status).not.toBe("pending");
  });

  it("of a kind that nobody thought of is kept in quarantine instead of being refused for ever", async () => {
    await database.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin
        if new.subject = 'in_odd' then raise exception 'odd' using errcode = '22P05'; end if;
        return new;
      end $$;
      create trigger refuse before insert on inbox_events for each row execute function refuse()`);
    const answers = await Promise.all(
      ["in_1", "in_odd", "in_2"].map((id) => product.deliver(stripeEvent({}, stripeInvoice({ id })))),
    );
    expect(answers.map(({ answer }) => answer.status)).toEqual(["accepted", "quarantined", "accepted"]);
    await database.sql`drop trigger refuse on inbox_events`;
  });
});

describe("hostile numbers and nesting", () => {
  const event = JSON.stringify(stripeEvent({}, { id: "in_1", object: "invoice" })).slice(1);
  it.each([
    ["an exponent beyond any number", `{"x":1e400000,${event}`],
    ["an exponent beyond a double", `{"x":1e400,${event}`],
    ["an exponent near nothing", `{"x":1e-400000,${event}`],
    ["a number of 5,000 digits", `{"x":${"9".repeat(5_000)},${event}`],
    ["200,000 arrays in each other", `{"x":${"[".repeat(200_000)}${"]".repeat(200_000)},${event}`],
    ["20,000 objects in each other", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
    ["one key with two values", `{"id":"evt_other",${event}`],
    ["a bare number", "1e400000"],
    ["an array", "[]"],
    ["null", "null"],
    ["half a document", `{${event.slice(0, 100)}`],
  ])("%s is quarantined once, and can still be looked at", async (_, body) => {
    const before = await countEvents(database.sql, "stripe");
    const first = await deliverText(body);
    expect([first.status, first.answer.status]).toEqual([200, "quarantined"]);
    expect((await deliverText(body)).answer).toEqual(first.answer);
    const row = await findEvent(database.sql, first.answer.event);
    expect(row.body.toString()).toBe(body);
    expect(row.why).toMatch(/^the (body|event) /);
    expect(await countEvents(database.sql, "stripe")).toBe(before + 1);
  });
});

describe("ids that a double cannot hold", () => {
  it("two payments that differ in the last of their digits are two", async () => {
    const bodyOf = (id: string) =>
      `{"eventId":${id},"type":"TRANSACTION_SUCCEEDED","transactionId":${id},"amount":100,"currency":"EUR"}`;
    const ids = ["9007199254740992", "9007199254740993", "18446744073709551615", "18446744073709551616"];
    const events = await Promise.all(ids.map((id) => send(product, "pay", { body: bodyOf(id) })));
    expect(new Set(events.map(({ answer }) => answer.event)).size).toBe(ids.length);
    for (const [n, { answer }] of events.entries()) {
      expect(await findEvent(database.sql, answer.event)).toMatchObject({ eventId: ids[n], subject: ids[n] });
    }
  });

  it("as text and as a number are the same id, and 1.0 or 1e3 is none", async () => {
    const deliver = async (id: string) => {
      const body = `{"eventId":${id},"type":"T","transactionId":"double"}`;
      return (await send(product, "pay", { body })).answer.status;
    };
    expect(["accepted", "ignored"]).toContain(await deliver("9007199254740995"));
    expect(await deliver('"9007199254740995"')).toBe("duplicate");
    expect(await deliver("1.5")).toBe("quarantined");
    expect(await deliver("[1]")).toBe("quarantined");
  });
});

it("event key and transaction are two things: all of a transaction's events are kept", async () => {
  const deliver = async (eventId: string, type: string, amount = 100) => {
    const body = JSON.stringify({ eventId, type, transactionId: "tx_77", amount, currency: "EUR" });
    return send(product, "pay", { body });
  };
  for (const [n, type] of ["AUTHORISED", "CAPTURED", "REFUNDED"].entries())
    expect(["accepted", "ignored"]).toContain((await deliver(`ev_${n}`, type)).answer.status);
  expect((await deliver("ev_1", "CAPTURED")).answer.status).toBe("duplicate");
  expect((await deliver("ev_9", "CAPTURED")).answer.status).not.toBe("duplicate");
  expect((await deliver("ev_1", "CAPTURED", 999)).answer.status).toBe("quarantined");
  const rows = await database.sql`
    select event_id, subject from inbox_events where source_id = 'pay' and subject = 'tx_77' order by event_id`;
  expect(rows.map((row) => [row.event_id, row.subject])).toEqual(
    ["ev_0", "ev_1", "ev_2", "ev_9"].map((id) => [id, "tx_77"]),
  );
});

it.each(["a\0b", "a b", "../stripe", "stripe%00", "STRIPE", "", "x".repeat(100), "\ud800"])(
  "a source called %j is unknown, without a look at the database",
  async (source) => {
    await database.sql`alter table sources rename to sources_gone`;
    expect((await product.post(source, "{}")).status).toBe(404);
    await database.sql`alter table sources_gone rename to sources`;
  },
);
