import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { createClock } from "#tests/simulators/clock.ts";
import { type StripeSimulator, startStripe } from "#tests/simulators/stripe.ts";
import { putSource, randomSecret, randomSource } from "./support/sources.ts";
import { type App, expect, test } from "./support/test.ts";

const ACCOUNT = "acct_outage";
const API_KEY = "sk_live_of_the_browser_test";

let stripe: StripeSimulator;
let source: string;
let workspace: string;

async function put(app: App, path: string, body: object): Promise<void> {
  const response = await fetch(`${app.url}/api/v1/${path}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.ok, await response.text()).toBe(true);
}

test.beforeEach(async ({ app }) => {
  source = randomSource("outage");
  workspace = `ws_${source}`;
  const secret = randomSecret();
  stripe = await startStripe({
    clock: createClock(),
    target: `${app.url}/api/webhooks/${source}`,
    apiKey: API_KEY,
    secret,
  });
  await putSource(app, source, {
    kind: "stripe",
    secrets: [secret],
    accounts: [{ account: ACCOUNT, tenant: "acme" }],
    settings: { reconcile: { everyMinutes: null } },
  });
  await put(app, `sources/${source}/credentials`, { apiKey: API_KEY, baseUrl: stripe.url });
  await put(app, `workspaces/${workspace}`, { tenant: "acme", name: "Outage" });
  await put(app, "customer-links", { source, account: ACCOUNT, customer: "cus_acme", workspace });
});
test.afterEach(() => stripe.stop());

async function confirm(page: Page, button: string, word: string): Promise<void> {
  await page.getByRole("button", { name: button }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("after the outage");
  await dialog.getByRole("button", { name: word }).click();
  await expect(dialog).toBeHidden();
}

const balance = async (app: App) =>
  (await app.sql`select credit_balance::int as credits from workspaces where id = ${workspace}`)[0]?.credits;

async function findSerious(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id);
}

test("the guide leads from a test delivery to nothing missing", async ({ signedIn: page, app }) => {
  test.setTimeout(120_000);
  stripe.faults.add({ what: "lost", times: 3 });
  for (let at = 0; at < 3; at++) await stripe.pay({ customer: "cus_acme" });
  await stripe.pay({ customer: "cus_acme" });

  await page.goto(`/reconciliation/outage?source=${source}`);
  await page.getByRole("button", { name: "Send a test event" }).click();
  await expect(page.getByText("The receiver verified the signature")).toBeVisible();

  await confirm(page, "Compare…", "Compare the last 30 days");
  await expect(page.getByText("3 missing or different")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("3 gaps are open")).toBeVisible();
  expect(await findSerious(page)).toEqual([]);

  await confirm(page, "Reconcile and repair…", "Repair what is missing");
  await expect(page.getByText("Nothing is missing")).toBeVisible({ timeout: 45_000 });
  expect(await balance(app)).toBe(400);
});

test("one gap is repaired, another dismissed, each with a reason", async ({ signedIn: page, app }) => {
  test.setTimeout(120_000);
  stripe.faults.add({ what: "lost", times: 2 });
  const [first, second] = [
    await stripe.pay({ customer: "cus_acme" }),
    await stripe.pay({ customer: "cus_acme" }),
  ];
  const response = await fetch(`${app.url}/api/v1/reconciliations`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      source,
      from: new Date(Date.now() - 86_400_000).toISOString(),
      to: new Date().toISOString(),
      repair: false,
    }),
  });
  expect(response.status).toBe(202);
  await page.goto(`/reconciliation?source=${source}`);
  await expect(page.getByRole("button", { name: "Dismiss…" })).toHaveCount(2, { timeout: 30_000 });
  expect(await findSerious(page)).toEqual([]);

  await page.setViewportSize({ width: 390, height: 900 });
  for (const path of [`/reconciliation/outage?source=${source}`, `/reconciliation?source=${source}`]) {
    await page.goto(path);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  }

  await page.getByRole("button", { name: "Dismiss…" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("granted by hand");
  await dialog.getByRole("button", { name: "Dismiss" }).click();
  await expect(page.getByRole("button", { name: "Dismiss…" })).toHaveCount(1);

  await confirm(page, "Repair…", "Repair");
  await expect(page.getByText("No open gap")).toBeVisible({ timeout: 45_000 });
  expect(await balance(app)).toBe(100);
  const gaps = await app.sql`
    select subject, status, closed_why from reconciliation_gaps where source_id = ${source} order by status`;
  expect(gaps.map(({ status }) => status)).toEqual(["closed", "dismissed"]);
  expect([first, second]).toContain(gaps[0]!.subject);
  expect(gaps[1]!.closed_why).toBe("granted by hand");
});
