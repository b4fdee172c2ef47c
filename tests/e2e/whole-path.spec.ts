import { findId, openReplay } from "./support/actions.ts";
import { expect, randomInvoice, test } from "./support/test.ts";

test("a signed invoice becomes one grant, is told in a sentence, and is replayed without harm", async ({
  signedIn: page,
  app,
}) => {
  const invoice = randomInvoice();
  const before = await app.balance();
  await page.goto("/inbox");
  await expect(page.getByText("Live")).toBeVisible();

  const answer = await app.deliver(invoice);
  expect(answer).toMatchObject({ status: 200, body: { status: "accepted" } });
  await app.untilDone(answer.body.event);

  // It does not push the rows away: a pill says that something came.
  await page.getByRole("button", { name: /new, show/ }).click();
  const row = page
    .getByRole("row")
    .filter({ hasText: invoice.slice(0, 9) })
    .first();
  await expect(row).toContainText("applied");
  await row.locator(`a[href*="${invoice}"]`).click();

  await expect(page.locator(".sentence")).toContainText("100 credits were granted to Sample workspace");
  await expect(page.getByRole("heading", { name: "Granted 100 credits to Sample workspace" })).toBeVisible();
  await expect(page.getByText("1 of 1")).toBeVisible();

  const dialog = await openReplay(page);
  await expect(dialog).toContainText("already applied");
  const replay = dialog.getByRole("button", { name: "Replay", exact: true });
  await expect(replay).toBeDisabled();
  await dialog.getByLabel(/Reason/).fill("customer asked");
  await replay.dblclick();
  await expect(dialog).toContainText("Outcome");
  await expect(dialog).toContainText("already applied");
  await dialog.getByRole("button", { name: "Close" }).click();

  await expect(page.getByText("Replay by console", { exact: true })).toBeVisible();
  await expect(page.getByText("customer asked")).toBeVisible();
  expect(await app.balance()).toBe(before + 100);
  // Two quick clicks were one replay.
  const replays = await app.sql`
    select from inbox_attempts where inbox_event_id = ${answer.body.event} and kind = 'replay'`;
  expect(replays.length).toBe(1);

  expect(await app.deliver(invoice, { id: await eventIdOf(app, answer.body.event) })).toMatchObject({
    body: { status: "duplicate" },
  });
  expect(await app.balance()).toBe(before + 100);
});

test("a note is kept beside the invoice, with its author and an audit entry", async ({
  signedIn: page,
  app,
}) => {
  const invoice = randomInvoice();
  const { body } = await app.deliver(invoice);
  await app.untilDone(body.event);
  await page.goto(`/invoices/${app.sample.source}/${app.sample.account}/${invoice}`);
  await page.getByLabel("Write a note").fill("Told the customer.\nIt was <b>their</b> other workspace.");
  await page.getByRole("button", { name: "Keep note" }).click();
  await expect(page.getByText("It was <b>their</b> other workspace.")).toBeVisible();
  await expect(page.getByLabel("Write a note")).toHaveValue("");
  const audit = await app.sql`
    select actor from audit_entries where action = 'note.write' and target like ${`%${invoice}%`}`;
  expect(audit).toEqual([{ actor: "console" }]);
});

test("any id leads to its page", async ({ signedIn: page, app }) => {
  const invoice = randomInvoice();
  const { body } = await app.deliver(invoice);
  await app.untilDone(body.event);
  const eventId = await eventIdOf(app, body.event);
  const { source, account } = app.sample;
  for (const [id, path] of [
    [invoice, `/invoices/${source}/${account}/${invoice}`],
    [eventId, `/inbox/${body.event}`],
    [body.event, `/inbox/${body.event}`],
    ["ws_sample", "/workspaces/ws_sample"],
  ] as const) {
    await page.goto("/outbox");
    await findId(page, id);
    await expect(page).toHaveURL(path);
  }
  const missing = await page.goto("/go/evt_nobody_knows");
  expect(missing?.status()).toBe(404);
  await expect(page.getByText("Nothing is known under this id")).toBeVisible();
});

async function eventIdOf(app: { sql: import("postgres").Sql }, id: string): Promise<string> {
  const [row] = await app.sql`select event_id from inbox_events where id = ${id}`;
  return row!.event_id as string;
}
