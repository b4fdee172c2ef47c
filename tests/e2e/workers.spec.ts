import { expect, test } from "./support/test.ts";

test("workers: who lives, who is silent, what died and what was set aside", async ({
  signedIn: page,
  app,
}) => {
  await app.sql`
    insert into workers (id, role, host, pid, version, seen_at)
    values (gen_random_uuid(), 'worker', 'quiet-host', 4711, '0.1.0', now() - interval '10 minutes')`;
  await app.sql`
    insert into process_events (process, host, what, signal) values ('worker', 'quiet-host', 'died', 'SIGKILL')`;
  await page.goto("/");
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Workers" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Workers" })).toBeVisible();
  const processes = page.getByRole("region", { name: "Processes of the last day" });
  await expect(processes.getByRole("row").filter({ hasText: "quiet-host" })).toContainText("silent");
  await expect(processes.getByRole("row").filter({ hasText: "alive" }).first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Deaths and restarts" })).toContainText(
    "worker died by SIGKILL",
  );
});
