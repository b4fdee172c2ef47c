import { HOSTILE, insertEvent, insertHostile, insertSource } from "./support/fixtures.ts";
import { type KnownPages, preparePages } from "./support/pages.ts";
import { expect, randomInvoice, test } from "./support/test.ts";

/** What might lead around a check that sits in front of the pages instead of in them. */
const FORGED: Record<string, string>[] = [
  {},
  { rsc: "1" },
  { "x-middleware-subrequest": "middleware:middleware" },
];

let pages: KnownPages;
test.beforeAll(async ({ app }) => {
  await insertSource(app.sql);
  pages = await preparePages(app);
});

test("hostile strings are text: nothing runs, nothing is linked, nothing is turned around", async ({
  signedIn: page,
  app,
}) => {
  const id = await insertHostile(app.sql);
  await page.route("**/*", (route) => {
    expect(new URL(route.request().url()).pathname).not.toBe("/x");
    return route.continue();
  });
  for (const path of [
    `/inbox?q=${encodeURIComponent(HOSTILE.eventId)}`,
    `/inbox/${id}`,
    "/",
    `/inbox?q=${id}`,
  ]) {
    await page.goto(path);
    await expect(page.getByRole("main")).toBeVisible();
    expect(await page.evaluate(() => (window as { pwned?: string }).pwned)).toBeUndefined();
    expect(await page.locator("main img, main script[src='x']").count()).toBe(0);
    const hrefs = await page
      .locator("a[href]")
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol));
    expect(hrefs.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([]);
  }
  await page.goto(`/inbox/${id}`);
  const text = await page.getByRole("main").textContent();
  expect(text).toContain("U+202E");
  expect(text).toContain("U+2028");
  expect(text).not.toMatch(/[\u202e\u2028\u2066]/);
  // The digits that were sent, not what a double makes of them.
  expect(text).toContain("12345678901234567890.10");
  expect(text).toContain('"a\\u0000b"');
});

test("a hostile id in the address finds nothing and breaks nothing", async ({ signedIn: page }) => {
  for (const path of [
    "/inbox/%3Cscript%3E",
    "/invoices/stripe/acct_sample/%00",
    "/invoices/..%2f..%2f/x/y",
    "/go/%27%20or%201%3D1",
    "/workspaces/%E2%80%AE",
  ]) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBeGreaterThanOrEqual(400);
    expect(response?.status(), path).toBeLessThan(500);
  }
});

test("an id with any characters leads to its page and back", async ({ signedIn: page, app }) => {
  const subject = `in_a/b%41?c#d&e=é ${randomInvoice()}`;
  const id = await insertEvent(app.sql, {
    eventId: `evt ${subject}`,
    subject,
    account: "acct_x~test",
    status: "ignored",
    why: "test",
  });
  await page.goto(`/inbox/${id}`);
  await page.getByRole("complementary").getByRole("link").first().click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(subject);
  expect(new URL(page.url()).pathname).toContain("/acct_x~test/");
  await page.getByRole("article").getByRole("link").click();
  await expect(page).toHaveURL(`/inbox/${id}`);
  await page.goto(`/go/${encodeURIComponent(`evt ${subject}`)}`);
  await expect(page).toHaveURL(`/inbox/${id}`);
});

test("without a token every page sends to /enter, and the console's own routes tell nothing", async ({
  app,
}) => {
  for (const [name, path] of [
    ...pages.paths,
    ["pulse", "/pulse"],
    ["newer rows", "/inbox/new?after=x"],
  ] as const) {
    for (const headers of FORGED) {
      let response = await fetch(`${app.url}${path}`, { redirect: "manual", headers });
      // Next leads requests for its own format to an address with a mark of it.
      const marked = response.headers.get("location");
      if (marked?.includes("_rsc"))
        response = await fetch(new URL(marked, app.url), { redirect: "manual", headers });
      const body = await response.text();
      expect(response.headers.get("location") ?? body, name).toContain("/enter");
      // The address itself comes back; nothing that only the database knows does.
      expect(body, name).not.toMatch(/Sample workspace|evt_|credits/);
    }
  }
});

test("a request that was forwarded is not answered, even with the token", async ({ app }) => {
  const headers = { cookie: `counterfoil_token=${app.token}`, "x-forwarded-for": "203.0.113.9" };
  const response = await fetch(`${app.url}/`, { redirect: "manual", headers });
  expect(response.headers.get("location")).toContain("/enter");
});

test("looking changes nothing: every page twice, and the database is the same", async ({ app }) => {
  const count = async () => {
    const [row] = await app.sql`
      select (select count(*) from inbox_attempts where kind = 'replay') as replays,
        (select count(*) from operations) as operations, (select count(*) from audit_entries) as audit,
        (select count(*) from notes) as notes, (select sum(credit_balance) from workspaces) as credits`;
    return row;
  };
  const before = await count();
  for (const [, path] of [...pages.paths, ...pages.paths]) {
    await fetch(`${app.url}${path}`, { headers: { cookie: `counterfoil_token=${app.token}` } });
  }
  expect(await count()).toEqual(before);
});

test("a foreign page cannot make the console replay or write", async ({ app }) => {
  const { body } = await app.deliver(randomInvoice());
  await app.untilDone(body.event);
  const cookie = `counterfoil_token=${app.token}`;
  const replay = (headers: Record<string, string>) =>
    fetch(`${app.url}/api/v1/inbox/${body.event}/replay`, {
      method: "POST",
      headers: { cookie, ...headers },
      body: JSON.stringify({ reason: "forged" }),
    });
  const foreign = await replay({ "content-type": "application/json", origin: "https://evil.example" });
  expect(foreign.status).toBe(403);
  const withoutOrigin = await replay({ "content-type": "application/json" });
  expect(withoutOrigin.status).toBe(403);
  const asForm = await replay({ "content-type": "text/plain", origin: app.url });
  expect(asForm.status).toBeGreaterThanOrEqual(400);
  const replays = await app.sql`
    select from inbox_attempts where inbox_event_id = ${body.event} and kind = 'replay'`;
  expect(replays.length).toBe(0);
});
