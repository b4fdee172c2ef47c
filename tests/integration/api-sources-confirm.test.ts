import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { confirmContract } from "#lib/admin/confirm-contract.ts";
import { putSource } from "#lib/admin/put-source.ts";
import { setContract } from "#lib/admin/set-contract.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";
import { CHECKLIST, type ChecklistItem } from "#lib/sources/contract-schema.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { codeOf, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, type Product, SECRET_KEY } from "#tests/support/product.ts";
import { addSource, findBroken, findEvent, send } from "#tests/support/senders.ts";

const COMPLETE = {
  version: 1,
  verification: {
    signature: { header: "X-Sinalio-Signature", prefix: "sha256=" },
    signedContent: "{timestamp}.{body}",
    timestamp: { kind: "per-attempt", from: { header: "X-Sinalio-Timestamp" } },
  },
  event: {
    id: { path: "id" },
    type: { path: "event" },
    account: { path: "project", required: true },
    subject: "feedback.id",
  },
  types: { "feedback.created": { meaning: "Somebody wrote feedback." } },
  delivery: { timeoutSeconds: 10, retryWindowHours: 24, replay: { by: "none" } },
};
const OPEN = { ...COMPLETE, confirmed: ["authenticity"] };

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  const accounts = [{ account: "p1", own: true }];
  await addSource(database.sql, { id: "sinalio", kind: "sinalio", contract: OPEN, accounts });
});
afterEach(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const confirm = (item: ChecklistItem, id = "sinalio") =>
  confirmContract(database.sql, tester, { id, item, reason: "their support wrote so" });
const confirmAll = async () => {
  for (const item of CHECKLIST) unwrap(await confirm(item));
};
const deliver = async (id: string, project = "p1") => {
  const body = JSON.stringify({ id, event: "feedback.created", project, feedback: { id: `fb_${id}` } });
  return (await send(product, "sinalio", { body })).answer.event;
};
const statusOf = async (event: string) => (await findEvent(database.sql, event)).status;

describe("confirming a sender's checklist", () => {
  it("takes item by item; the last one releases what waited, tells the workers, and is audited", async () => {
    const events = [await deliver("e1"), await deliver("e2"), await deliver("e3", "p2")];
    const hints: string[] = [];
    const listening = await database.sql.listen(INBOX_CHANNEL, (payload) => hints.push(payload));
    const rest = CHECKLIST.filter((item) => item !== "authenticity");
    for (const item of rest.slice(0, -1)) {
      expect(unwrap(await confirm(item))).toMatchObject({ released: 0, waiting: 3 });
      expect(await statusOf(events[0]!)).toBe("waiting");
    }
    const last = unwrap(await confirm(rest.at(-1)!));
    expect(last).toMatchObject({ released: 3, waiting: 0, source: { readiness: { state: "ready" } } });
    expect(await Promise.all(events.map(statusOf))).toEqual(["ignored", "ignored", "waiting"]);
    expect(await findEvent(database.sql, events[2]!)).toMatchObject({ waitsKind: "account" });
    await expect.poll(() => hints.length).toBeGreaterThan(0);
    await listening.unlisten();
    const rows = await database.sql`
      select reason, after->>'item' as item, after->>'released' as released from audit_entries
      where action = 'source.confirm' order by id`;
    expect(rows.map(({ item }) => item)).toEqual(rest);
    expect(rows.at(-1)).toMatchObject({ reason: "their support wrote so", released: "3" });
  });

  it("the same item again changes nothing and is not audited", async () => {
    await confirm("authenticity");
    expect(unwrap(await confirm("authenticity")).released).toBe(0);
    const [row] = await database.sql`select count(*)::int as entries from audit_entries`;
    expect(row).toEqual({ entries: 0 });
  });

  it("of what is not written down is refused, and so is a sender without a list", async () => {
    await addSource(database.sql, { id: "bare", kind: "sinalio" });
    for (const item of ["catalogue", "identities", "scoping", "authenticity", "delivery", "replay"] as const)
      expect(await confirm(item, "bare")).toMatchObject({
        ok: false,
        problem: { code: "unacceptable", message: expect.stringContaining("filled in first") },
      });
    expect(unwrap(await confirm("eligibility", "bare")).source.contract).toMatchObject({
      confirmed: ["eligibility"],
    });
    expect(codeOf(await confirm("catalogue", "stripe"))).toBe("unacceptable");
    expect(codeOf(await confirm("catalogue", "nobody"))).toBe("not_found");
  });

  it("by two people at once keeps both", async () => {
    await Promise.all(CHECKLIST.map((item) => confirm(item)));
    const [row] =
      await database.sql`select contract->'confirmed' as confirmed from sources where id = 'sinalio'`;
    expect([...row!.confirmed].sort()).toEqual([...CHECKLIST].sort());
  });

  it("finds a key that the receiver took meanwhile, and neither event is lost or applied twice", async () => {
    const waiting = await deliver("e1");
    // Its key as it will be: stored by a receiver that knew the contract already.
    await database.sql`update inbox_events set event_id = 'body:x' where id = ${waiting}`;
    const first = await deliver("e1");
    await database.sql`
      update inbox_events set status = 'ignored', waits_kind = null, waits_key = null, finished_at = now() where id = ${first}`;
    await confirmAll();
    expect(await findEvent(database.sql, waiting)).toMatchObject({
      status: "ignored",
      why: `the same event came as ${first}`,
    });
  });
});

describe("a whole contract", () => {
  it("that has everything confirmed releases as well, by PUT and by itself", async () => {
    const contract = { ...COMPLETE, confirmed: CHECKLIST };
    const first = await deliver("e1");
    const request = {
      id: "sinalio",
      kind: "sinalio" as const,
      name: "Sinalio",
      accounts: [{ account: "p1", tenant: "acme" }],
      settings: sourceSettings.parse({}),
    };
    unwrap(await putSource(database.sql, tester, SECRET_KEY, { ...request, contract }));
    expect(await statusOf(first)).toBe("ignored");
    unwrap(await setContract(database.sql, tester, "sinalio", OPEN));
    // The receiver keeps a source for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    const second = await deliver("e2");
    expect(await statusOf(second)).toBe("waiting");
    unwrap(await setContract(database.sql, tester, "sinalio", contract));
    expect(await statusOf(second)).toBe("ignored");
  });

  it("is kept as it was when the new one is not usable or the same", async () => {
    expect(codeOf(await setContract(database.sql, tester, "sinalio", { version: 2 }))).toBe("unacceptable");
    expect(codeOf(await setContract(database.sql, tester, "stripe", null))).toBe("unacceptable");
    expect(codeOf(await setContract(database.sql, tester, "nobody", null))).toBe("not_found");
    unwrap(await setContract(database.sql, tester, "sinalio", OPEN));
    const [row] = await database.sql`select count(*)::int as entries from audit_entries`;
    expect(row).toEqual({ entries: 0 });
  });

  it("is never replaced by somebody who means to add a source", async () => {
    const outcome = await putSource(database.sql, tester, SECRET_KEY, {
      id: "sinalio",
      kind: "sinalio",
      name: "Another",
      accounts: [{ account: "p1", tenant: "acme" }],
      settings: sourceSettings.parse({}),
      onlyNew: true,
    });
    expect(codeOf(outcome)).toBe("conflict");
    const [row] = await database.sql`select name from sources where id = 'sinalio'`;
    expect(row).toEqual({ name: "sinalio" });
  });
});
