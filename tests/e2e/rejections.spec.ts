import { HOSTILE } from "./support/fixtures.ts";
import {
  deliverConflict,
  post,
  putSource,
  randomSecret,
  randomSource,
  untilRejected,
} from "./support/sources.ts";
import { expect, test } from "./support/test.ts";

test("what was turned away is told by source and reason, and narrowed in the address", async ({
  signedIn: page,
  app,
}) => {
  const id = randomSource("refused");
  await putSource(app, id, { kind: "github", secrets: ["a secret of the tests"] });
  await post(app, id, "{}");
  await post(app, id, "{}", { "x-hub-signature-256": "sha256=00" });
  await untilRejected(app, id);
  await page.goto("/sources");
  await page.getByRole("row").filter({ hasText: id }).getByRole("link", { name: "2", exact: true }).click();
  await expect(page).toHaveURL(`/rejections?source=${id}`);
  const rows = page.getByRole("region", { name: "Samples" }).locator("tbody tr");
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("not in the sender’s form");
  await rows.last().getByRole("link", { name: "signature missing" }).click();
  await expect(page).toHaveURL(`/rejections?source=${id}&reason=signature_missing`);
  await expect(rows).toHaveCount(1);
  await page.reload();
  await expect(rows).toHaveCount(1);
  await page.getByRole("link", { name: `source ${id}` }).click();
  await expect(page).toHaveURL("/rejections?reason=signature_missing");
  await page.getByRole("link", { name: "Clear" }).click();
  await expect(page).toHaveURL("/rejections");
  await page
    .getByRole("region", { name: "Last 24 hours" })
    .getByRole("row")
    .filter({ hasText: id })
    .first()
    .click();
  await expect(page).toHaveURL(new RegExp(`source=${id}&reason=`));
  await page.goto("/rejections?source=nobody-at-all");
  await expect(page.getByText("No sample matches")).toBeVisible();
});

test("pages of rejections neither repeat nor skip any", async ({ signedIn: page, app }) => {
  const id = randomSource("paged");
  await app.sql`
    insert into rejections (at, source_id, reason) select now(), ${id}, 'signature_missing' from generate_series(1, 120)`;
  const sizes: number[] = [];
  await page.goto(`/rejections?source=${id}`);
  for (;;) {
    const samples = page.getByRole("region", { name: "Samples" }).locator("tbody tr");
    sizes.push(await samples.count());
    const older = page.getByRole("link", { name: "Older" });
    if ((await older.count()) === 0) break;
    await page.goto((await older.getAttribute("href"))!);
  }
  expect(sizes).toEqual([50, 50, 20]);
  await page.goto(`/rejections?source=${id}&before=x%27;--`);
  await expect(page.getByRole("link", { name: "Older" })).toBeVisible();
});

test("hostile names of sources are text, where they are listed and where they were asked for", async ({
  signedIn: page,
  app,
}) => {
  const id = randomSource("hostile");
  const name = `${HOSTILE.eventId}\u202egnp.exe`;
  await putSource(app, id, { kind: "github", name, secrets: [] });
  await post(app, encodeURIComponent("<img src=x>\u202e"), "{}");
  const asked = async () =>
    (await app.sql`select count(*)::int as n from rejections where source_id like '<img%'`)[0]?.n;
  await expect.poll(asked).toBeGreaterThan(0);
  for (const path of ["/sources", `/sources/${id}`, "/rejections?reason=unknown_source"]) {
    await page.goto(path);
    await expect(page.getByRole("main")).toContainText("<img");
    await expect(page.getByRole("main")).toContainText("U+202E");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.evaluate(() => (window as { pwned?: string }).pwned)).toBeUndefined();
  }
  await page.getByRole("link", { name: /<img/ }).first().click();
  await expect(page).toHaveURL(/source=%3Cimg/);
  await expect(page.getByRole("region", { name: "Samples" })).toContainText("no such source");
});

test("other content under an event's id stands beside the first, with what differs marked", async ({
  signedIn: page,
  app,
}) => {
  const event = await deliverConflict(app);
  await page.goto(`/inbox/${event}`);
  const conflicts = page.getByRole("region", { name: "Conflicts" });
  await expect(conflicts.locator("td.removed").first()).toContainText('"amount_paid": 1000');
  await expect(conflicts.locator("td.added").first()).toContainText('"amount_paid": 2000');
  await expect(conflicts.locator("td.added")).toHaveCount(2);
  await expect(conflicts.locator("caption")).toHaveText("2 lines differ.");
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.evaluate(() => (window as { pwned?: string }).pwned)).toBeUndefined();
});

test("the secret of a source that has none is asked for, and nothing is tested without it", async ({
  signedIn: page,
  app,
}) => {
  const id = randomSource("bare");
  await putSource(app, id, { kind: "standard-webhooks", secrets: [] });
  await page.goto(`/sources/${id}`);
  await expect(page.locator(".sentence")).toContainText("no usable secret");
  await page.getByRole("button", { name: "Send a test event" }).click();
  await expect(page.getByRole("status").filter({ hasText: "no usable secret" })).toBeVisible();
  await page.getByRole("button", { name: "Enter a secret…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("New signing secret").fill("short");
  await dialog.getByLabel(/Reason/).fill("set up by a test");
  await dialog.getByRole("button", { name: "Keep" }).click();
  await expect(dialog.getByRole("alert")).toContainText("24 to 64 bytes");
  await dialog.getByLabel("New signing secret").fill(randomSecret());
  await dialog.getByRole("button", { name: "Keep" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Send a test event" }).click();
  await expect(page.getByText("answered 200")).toBeVisible();
});
