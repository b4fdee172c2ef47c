import type { Page } from "@playwright/test";
import { HOSTILE } from "./support/fixtures.ts";
import {
  post,
  putSource,
  randomSecret,
  randomSource,
  SINALIO_CONTRACT,
  signSinalio,
} from "./support/sources.ts";
import { expect, test } from "./support/test.ts";

const badge = (page: Page, word: string) => page.getByRole("heading", { level: 1 }).getByText(word);

/** Opens a dialog by its button, gives a reason, and confirms. */
async function giveReason(page: Page, button: string | RegExp, confirm: string): Promise<void> {
  await page.getByRole("button", { name: button }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Reason/).fill("asked for by a test");
  await dialog.getByRole("button", { name: confirm, exact: true }).click();
  await expect(dialog).toBeHidden();
}

test("a source is added, proves itself with a test event, and is in the list", async ({
  signedIn: page,
  app,
}) => {
  const [id, secret] = [randomSource("shop"), randomSecret()];
  const before = await app.balance();
  await page.goto("/sources");
  await page.getByRole("link", { name: "Add a source" }).click();
  await page.getByLabel("Id", { exact: true }).fill(id);
  await page.getByLabel("Name", { exact: true }).fill("Shop, live");
  await page.getByLabel("First account").fill("acct_shop");
  await page.getByLabel("Tenant").fill("acme");
  await page.getByLabel("Signing secret").fill("not a secret of Stripe");
  await page.getByRole("button", { name: "Add source" }).click();
  const problem = page.getByRole("alert").filter({ hasText: "whsec_" });
  await expect(problem).toBeVisible();
  await expect(page.getByLabel("First account")).toHaveValue("acct_shop");

  await page.getByLabel("Signing secret").fill(secret);
  await page.getByRole("button", { name: "Add source" }).click();
  await expect(page).toHaveURL(`/sources/${id}`);
  await expect(badge(page, "receiving")).toBeVisible();
  await expect(page.getByText(`${app.url}/api/webhooks/${id}`, { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Send a test event" }).click();
  await expect(page.getByText("answered 200")).toBeVisible();
  await expect(page.getByText("no credits moved")).toBeVisible();
  await page.getByRole("link", { name: /^Open the event/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("ignored");
  expect(await app.balance()).toBe(before);

  await page.goto("/sources");
  await expect(page.getByRole("row").filter({ hasText: id })).toContainText("receiving");
  for (const path of ["/sources", `/sources/${id}`])
    expect(await (await page.request.get(path)).text()).not.toContain(secret);
});

test("a source of a name that is taken is not replaced", async ({ signedIn: page, app }) => {
  await page.goto("/sources/new");
  await page.getByLabel("Id", { exact: true }).fill(app.sample.source);
  await page.getByLabel("Name", { exact: true }).fill("Another");
  await page.getByLabel("First account").fill("acct_other");
  await page.getByLabel("Tenant").fill("other");
  await page.getByRole("button", { name: "Add source" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "already" })).toBeVisible();
});

test("a secret is rotated with an overlap, by its fingerprint alone", async ({ signedIn: page, app }) => {
  const [id, first, second] = [randomSource("rotate"), randomSecret(), randomSecret()];
  await putSource(app, id, { kind: "standard-webhooks", secrets: [first] });
  await page.goto(`/sources/${id}`);
  const rows = page.getByRole("region", { name: "Secrets" }).locator("tbody tr");
  await expect(rows).toHaveCount(1);
  const before = await rows.first().locator("code").textContent();
  await page.getByRole("button", { name: "Rotate…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("New signing secret")).toHaveValue("");
  await dialog.getByLabel("New signing secret").fill(second);
  await dialog.getByLabel("Those before it").selectOption({ label: "for an hour" });
  await dialog.getByLabel(/Reason/).fill("rotated by a test");
  await dialog.getByRole("button", { name: "Rotate", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("current");
  await expect(rows.last()).toContainText("still taken");
  await expect(rows.last()).toContainText(before!);
  await expect(page.getByText("rotated by a test")).toBeVisible();
  const html = await page.content();
  expect(html.includes(first) || html.includes(second)).toBe(false);
  await page.getByRole("button", { name: "Rotate…" }).click();
  await expect(dialog.getByLabel("New signing secret")).toHaveValue("");
});

test("pausing and resuming ask for a reason", async ({ signedIn: page, app }) => {
  const id = randomSource("pause");
  await putSource(app, id, { kind: "standard-webhooks", secrets: [randomSecret()] });
  await page.goto(`/sources/${id}`);
  await page.getByRole("button", { name: "Pause…" }).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Pause" })).toBeDisabled();
  await page.keyboard.press("Escape");
  await giveReason(page, "Pause…", "Pause");
  await expect(badge(page, "paused")).toBeVisible();
  await giveReason(page, "Resume…", "Resume");
  await expect(badge(page, "receiving")).toBeVisible();
  const rows = await app.sql`
    select action, reason from audit_entries where target = ${`source:${id}`} and action <> 'source.create' order by id`;
  expect(rows.map(({ action, reason }) => `${action}: ${reason}`)).toEqual([
    "source.pause: asked for by a test",
    "source.resume: asked for by a test",
  ]);
});

test("an unknown sender is captured, described, confirmed, and what waited goes on", async ({
  signedIn: page,
  app,
}) => {
  test.setTimeout(90_000);
  const [id, secret] = [randomSource("sinalio"), randomSecret()];
  await putSource(app, id, { kind: "sinalio", secrets: [secret] });
  await page.goto(`/sources/${id}`);
  await expect(page.locator(".sentence")).toContainText("answered with 503");
  await giveReason(page, "Capture…", "Capture");
  await expect(badge(page, "capturing")).toBeVisible();
  const body = JSON.stringify({
    id: "e1",
    event: "feedback.created",
    project: "p1",
    feedback: { id: "fb_1", text: HOSTILE.why },
  });
  expect((await post(app, id, body, { "x-sinalio-signature": "?", cookie: "hidden" })).status).toBe(503);
  await page.reload();
  const captures = page.getByRole("region", { name: "Captured requests" });
  await captures.locator("summary").click();
  await expect(captures).toContainText("x-sinalio-signature");
  await expect(captures).toContainText("feedback.created");
  await expect(captures).not.toContainText("hidden");
  expect(await page.evaluate(() => (window as { pwned?: string }).pwned)).toBeUndefined();

  await page.getByRole("button", { name: "Replace…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Contract as JSON").fill('{"version":1,"event":{"id":{"path":"$.id"}}}');
  await dialog.getByRole("button", { name: "Replace" }).click();
  await expect(dialog.getByRole("alert")).toContainText("not usable");
  await dialog.getByLabel("Contract as JSON").fill(JSON.stringify(SINALIO_CONTRACT));
  await dialog.getByRole("button", { name: "Replace" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("region", { name: "Contract" })).toContainText("feedback.created");

  const items = page.getByRole("region", { name: "Checklist" }).getByRole("listitem");
  const confirm = async (title: string) => {
    const item = items.filter({ hasText: title });
    await item.getByRole("button", { name: "Confirm…" }).click();
    await dialog.getByLabel(/Reason/).fill("their support wrote so");
    await dialog.getByRole("button", { name: "Confirm", exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(item).toContainText("their support wrote so");
  };
  await confirm("Authenticity");
  await expect(badge(page, "contract unconfirmed")).toBeVisible();
  const answer = await post(app, id, body, signSinalio(body, secret));
  const { event } = (await answer.json()) as { event: string };
  const status = async () => (await app.sql`select status from inbox_events where id = ${event}`)[0]?.status;
  expect(await status()).toBe("waiting");
  for (const title of [
    "Event catalogue",
    "Stable identities",
    "Project scoping",
    "Timeout and retries",
    "Replay",
    "Plan eligibility",
  ])
    await confirm(title);
  await expect(badge(page, "receiving")).toBeVisible();
  expect(await status()).toBe("ignored");
});

test("an action is refused to whoever has no token, and to another site's page", async ({
  signedIn: page,
  app,
}) => {
  const id = randomSource("guard");
  await putSource(app, id, { kind: "standard-webhooks", secrets: [randomSecret()] });
  await page.goto(`/sources/${id}`);
  const sent = page.waitForRequest((request) => request.headers()["next-action"] !== undefined);
  await page.getByRole("button", { name: "Send a test event" }).click();
  const request = await sent;
  await expect(page.getByText("answered 200")).toBeVisible();
  const count = async () =>
    (await app.sql`select count(*)::int as n from audit_entries where target = ${`source:${id}`}`)[0]?.n;
  const before = await count();
  const headers = { ...request.headers() };
  for (const name of Object.keys(headers))
    if (/^(:|cookie|host|origin|content-length)/.test(name)) delete headers[name];
  const again = (more: Record<string, string>) =>
    fetch(request.url(), { method: "POST", headers: { ...headers, ...more }, body: request.postData() });
  const cookie = `counterfoil_token=${app.token}`;
  for (const more of [{ origin: app.url }, { origin: "https://evil.example", cookie }, { cookie }] as Record<
    string,
    string
  >[]) {
    const response = await again(more);
    expect(response.status).toBeGreaterThanOrEqual(400);
  }
  expect(await count()).toBe(before);
  expect((await again({ origin: app.url, cookie })).status).toBe(200);
  expect(await count()).toBe(before + 1);
});
