import { untilAlive } from "./support/actions.ts";
import { insertEvent, insertSource, OTHER_SOURCE } from "./support/fixtures.ts";
import { expectStatus, giveReason, insertConflict, statusOf } from "./support/operations.ts";
import { expect, randomInvoice, test } from "./support/test.ts";

test.beforeAll(async ({ app }) => {
  await insertSource(app.sql);
});

/** Failed events of a type of their own, so that a filter finds these alone. */
async function insertFailed(
  sql: import("postgres").Sql,
  count: number,
): Promise<{ type: string; ids: string[] }> {
  const type = `bulk.${randomInvoice()}`;
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    ids.push(
      await insertEvent(sql, {
        eventId: `evt_${type}_${at}`,
        type,
        status: "failed",
        failureClass: "exhausted",
        attempts: 1,
        why: "the database was away",
        ago: 60 + at,
      }),
    );
  }
  return { type, ids };
}

test("an event is dismissed with a reason, once, and a page that is out of date is told so", async ({
  signedIn: page,
  app,
  context,
}) => {
  const { ids } = await insertFailed(app.sql, 1);
  await page.goto(`/inbox/${ids[0]}`);
  const stale = await context.newPage();
  await stale.goto(`/inbox/${ids[0]}`);
  await untilAlive(stale);
  await stale.getByRole("button", { name: "Try again…" }).click();

  await page.getByRole("button", { name: "Dismiss…" }).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Dismiss for good" })).toBeDisabled();
  await giveReason(page, "refunded by hand", "Dismiss for good");
  await expect(page.locator(".sentence")).toContainText("Dismissed by console: refunded by hand");
  await expect(page.getByRole("button", { name: "Dismiss…" })).toHaveCount(0);

  // The other page learns of it within a beat, and takes the dialog away; until then its answer is the present state.
  await expect(stale.getByText(/The event is dismissed|Dismissed by console/).first()).toBeVisible({
    timeout: 15_000,
  });
  expect(await statusOf(app.sql, ids[0]!)).toBe("dismissed");
  const audits = await app.sql`select action, reason from audit_entries where target = ${`inbox:${ids[0]}`}`;
  expect([...audits]).toEqual([{ action: "inbox.dismiss", reason: "refunded by hand" }]);
  await stale.close();
});

test("a conflict is decided beside both contents, and the event goes on with the one that was chosen", async ({
  signedIn: page,
  app,
}) => {
  const invoice = randomInvoice();
  const first = await app.deliver(invoice, { id: `evt_${invoice}` });
  await app.untilDone(first.body.event);
  await insertConflict(app.sql, first.body.event);
  await page.goto(`/inbox/${first.body.event}`);
  await expect(page.getByRole("heading", { name: "Conflicts" })).toBeVisible();
  await page.getByRole("button", { name: "Keep the first…" }).click();
  await giveReason(page, "the sender said so", "Keep the first");
  await expect(page.getByText("closed by console: “the sender said so”")).toBeVisible();
  await expect(page.getByRole("button", { name: "Keep the first…" })).toHaveCount(0);
});

test("picked rows are replayed together after a look at how many, and can be undone", async ({
  signedIn: page,
  app,
}) => {
  const { type, ids } = await insertFailed(app.sql, 5);
  await page.goto(`/inbox?type=${type}`);
  const boxes = page.getByRole("checkbox", { name: new RegExp(`^Pick ${type}`) });
  await expect(boxes).toHaveCount(5);
  await boxes.nth(0).click();
  await boxes.nth(2).click({ modifiers: ["Shift"] });
  const bar = page.getByRole("region", { name: "Picked rows" });
  await expect(bar).toContainText("3 rows picked on this page");
  await bar.getByRole("button", { name: "Select all 5 that match" }).click();
  await expect(bar).toContainText("All 5 that match are picked");
  await bar.getByRole("button", { name: "Just this page" }).click();
  await bar.getByRole("button", { name: "Replay 5 events…" }).click();
  await giveReason(page, "cleaning up", "Count them");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Exactly 5 events");
  await dialog.getByRole("button", { name: "Replay 5 events" }).click();
  await dialog.getByRole("button", { name: /^Undo/ }).click();
  await expect(dialog).toContainText("Undone. Nothing was changed.");
  await dialog.getByRole("button", { name: "Close" }).click();
  for (const id of ids) expect(await statusOf(app.sql, id)).toBe("failed");

  await page.goto("/operations");
  await expect(page.locator("tbody tr").first()).toContainText("undone");
  await expect(page.locator("tbody tr").first()).toContainText("cleaning up");
});

test("all that match are dismissed, and the operation's page tells of each", async ({
  signedIn: page,
  app,
}) => {
  const { type, ids } = await insertFailed(app.sql, 3);
  await page.goto(`/inbox?type=${type}&status=failed`);
  await page.getByRole("checkbox", { name: "Pick every row of this page" }).check();
  const bar = page.getByRole("region", { name: "Picked rows" });
  await bar.getByRole("button", { name: "Select all 3 that match" }).click();
  await bar.getByRole("button", { name: "Dismiss 3 events…" }).click();
  await giveReason(page, "never needed", "Count them");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Dismiss 3 events" }).click();
  await dialog.getByRole("link", { name: "Follow it" }).click();
  await expect(page).toHaveURL(/\/operations\//);
  for (const id of ids) await expectStatus(app.sql, id, "dismissed");
  await expect(page.getByText("3 of 3")).toBeVisible({ timeout: 15_000 });
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Dismiss 3 events");
  await page.getByRole("link", { name: /^All/ }).first().click();
  await expect(page.locator("tbody tr")).toHaveCount(3);
  await expect(page.locator("tbody tr").first()).toContainText("dismissed");
});

test("an export has the rows of the filter, and no cell that a spreadsheet would run", async ({
  signedIn: page,
  app,
}) => {
  const subject = `=cmd|'/c calc'!A1 ${randomInvoice()}`;
  await insertEvent(app.sql, {
    eventId: `evt_${subject}`,
    subject,
    status: "ignored",
    why: '@SUM(1), "quoted"',
  });
  const query = new URLSearchParams({ subject, range: "all" });
  await page.goto(`/inbox?${query}`);
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^CSV/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^inbox-.+\.csv$/);
  const csv = await (await page.request.get(`/inbox/export?${query}&format=csv`)).text();
  const lines = csv.trimEnd().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`"'${subject}"`);
  expect(lines[1]).toContain('"\'@SUM(1), ""quoted"""');
  const json = await (await page.request.get(`/inbox/export?${query}&format=json`)).json();
  expect(json).toMatchObject({ complete: true, items: [{ subject, source: OTHER_SOURCE }] });
});

test("a balance is corrected by hand after a look at what it comes to", async ({ signedIn: page, app }) => {
  const before = await app.balance();
  await page.goto("/workspaces/ws_sample");
  await page.getByRole("button", { name: "Correct the balance…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Credits").fill("25");
  await dialog.getByLabel(/^Reason/).fill("goodwill");
  await dialog.getByRole("button", { name: "What it comes to" }).click();
  await expect(dialog.getByRole("status")).toContainText(`+ 25 =`);
  await dialog.getByRole("button", { name: "Correct it" }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => app.balance(), { timeout: 15_000 }).toBe(before + 25);
  await expect(page.getByRole("row", { name: /\+25/ }).first()).toBeVisible({ timeout: 15_000 });
});
