import { untilAlive } from "./support/actions.ts";
import { insertEvent, insertEveryState, insertSource, OTHER_SOURCE } from "./support/fixtures.ts";
import { expect, randomInvoice, test } from "./support/test.ts";

test.beforeAll(async ({ app }) => {
  await insertSource(app.sql);
  await insertEveryState(app.sql);
});

test("filters live in the address, and the address brings them back", async ({ signedIn: page }) => {
  await page.goto("/inbox");
  await page.getByRole("link", { name: /^Failed/ }).click();
  await expect(page).toHaveURL(/status=failed/);
  await page.getByLabel("Source", { exact: true }).selectOption(OTHER_SOURCE);
  await expect(page).toHaveURL(/source=payments-test/);
  await page.getByLabel("Time range").selectOption("7d");
  await expect(page).toHaveURL(/range=7d/);
  await page.getByLabel("Type, or invoice.*").fill("invoice.*");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/type=invoice/);
  const rows = page.getByRole("table", { name: "Events" }).locator("tbody tr");
  await expect(rows.first()).toContainText("failed");

  await page.reload();
  await untilAlive(page);
  await expect(page.getByRole("link", { name: /^Failed/ })).toHaveAttribute("aria-current", "page");
  await expect(page.getByLabel("Time range")).toHaveValue("7d");
  await expect(page.getByLabel("Type, or invoice.*")).toHaveValue("invoice.*");

  await page.goBack();
  await expect(page).not.toHaveURL(/type=/);
  await expect(page.getByLabel("Type, or invoice.*")).toHaveValue("");
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(page).toHaveURL(/\/inbox\?status=failed$/);
});

test("an id is found by itself in all time, and what matches nothing says so", async ({
  signedIn: page,
  app,
}) => {
  const subject = randomInvoice();
  await insertEvent(app.sql, {
    eventId: `evt_${subject}`,
    subject,
    status: "ignored",
    why: "old",
    ago: 40 * 86_400,
  });
  await page.goto("/inbox");
  const field = page.getByLabel("Event id, row id or subject");
  await field.fill(subject);
  await field.press("Enter");
  await expect(page.getByRole("table", { name: "Events" }).locator("tbody tr")).toHaveCount(1);
  await expect(page.getByLabel("Time range")).toHaveValue("all");
  await field.fill("in_nobody");
  await field.press("Enter");
  await expect(page.getByText("No event matches")).toBeVisible();
  await expect(page.getByRole("table", { name: "Events" })).toHaveCount(0);
});

test("pages neither repeat nor skip a row of one instant, there and back", async ({
  signedIn: page,
  app,
}) => {
  const type = `paging.${randomInvoice()}`;
  const events = Array.from({ length: 120 }, (_, at) => ({
    eventId: `evt_${type}_${at}`,
    type,
    status: "ignored",
  }));
  const ids: string[] = [];
  for (const event of events) ids.push(await insertEvent(app.sql, { ...event, ago: 5 }));
  await app.sql`update inbox_events set received_at = '2026-01-02 03:04:05.123789+00' where type = ${type}`;
  await page.goto(`/inbox?range=all&type=${type}`);
  const links = page.locator("tbody a.row-link");
  const seen: string[] = [];
  const sizes: number[] = [];
  for (;;) {
    await expect(links.first()).toBeVisible();
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")!));
    seen.push(...hrefs.map((href) => href.split("/").at(-1)!));
    sizes.push(hrefs.length);
    const older = page.getByRole("link", { name: "Older" });
    if ((await older.count()) === 0) break;
    const address = page.url();
    await older.click();
    await page.waitForURL((url) => url.href !== address);
    await expect(links.first()).not.toHaveAttribute("href", hrefs[0]!);
  }
  expect(sizes).toEqual([50, 50, 20]);
  expect(new Set(seen)).toEqual(new Set(ids));
  await page.getByRole("link", { name: "Newer" }).click();
  await expect(links).toHaveCount(50);
  await expect(links.first()).toHaveAttribute("href", `/inbox/${seen[50]}`);
});

test("a database that does not answer is an error, never an empty list", async ({ signedIn: page, app }) => {
  const lock = await app.sql.reserve();
  try {
    await lock`begin`;
    await lock`lock table inbox_events in access exclusive mode`;
    await page.goto("/inbox");
    const alert = page.getByRole("alert").filter({ hasText: "did not answer in time" });
    await expect(alert).toBeVisible({ timeout: 20_000 });
    await expect(page.getByText("No event")).toHaveCount(0);
    await lock`rollback`;
    await alert.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("table", { name: "Events" })).toBeVisible();
  } finally {
    await lock`rollback`;
    lock.release();
  }
});
