import { randomBytes } from "node:crypto";
import { HOSTILE, insertEvent } from "./support/fixtures.ts";
import { expect, test } from "./support/test.ts";

test("feedback is acknowledged, taken and resolved by people, and its text cannot do anything", async ({
  signedIn: page,
  app,
}) => {
  const feedback = `fb_${randomBytes(6).toString("hex")}`;
  const event = await insertEvent(app.sql, {
    eventId: `evt_${feedback}`,
    type: "feedback.created",
    subject: feedback,
    source: app.sample.source,
    status: "dismissed",
    why: "only its feedback matters here",
    ago: 60,
  });
  await app.sql`insert into feedback (source_id, account, feedback_id, tenant_id, text, inbox_event_id)
    select ${app.sample.source}, 'proj_web', ${feedback}, tenant_id, ${HOSTILE.why}, ${event} from source_accounts limit 1`;
  await app.sql`insert into feedback_alerts (id, source_id, account, feedback_id, operation, inbox_event_id)
    values (gen_random_uuid(), ${app.sample.source}, 'proj_web', ${feedback}, 'initial-alert', ${event})`;

  await page.goto("/");
  await page.getByRole("link", { name: "Feedback" }).click();
  const row = page.getByRole("row").filter({ hasText: feedback });
  await expect(row).toContainText("1 alert");
  await row.getByRole("button", { name: "Acknowledge" }).click();
  await expect(row).toContainText("acknowledged");
  await row.getByRole("button", { name: "Take" }).click();
  await expect(row).toContainText("assigned");
  await row.getByRole("button", { name: "Resolve" }).click();
  await expect(row).toContainText("resolved");
  await page.getByRole("navigation", { name: "State" }).getByRole("link", { name: "Resolved" }).click();
  await expect(page).toHaveURL("/feedback?status=resolved");
  await expect(row).toHaveCount(1);
  expect(await page.evaluate("window.pwned")).toBeUndefined();
});
