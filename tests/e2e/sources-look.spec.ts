import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import {
  deliverConflict,
  post,
  putSource,
  randomSecret,
  randomSource,
  untilRejected,
} from "./support/sources.ts";
import { expect, test } from "./support/test.ts";

let paths: [name: string, path: string][];
let sinalio: string;
test.beforeAll(async ({ app }) => {
  sinalio = randomSource("sinalio");
  const payments = randomSource("payments");
  const bare = randomSource("bare");
  await putSource(app, sinalio, { kind: "sinalio", secrets: [randomSecret()] });
  await putSource(app, payments, { kind: "payments", secrets: [randomSecret()] });
  await putSource(app, bare, { kind: "github", name: "x".repeat(200), secrets: [] });
  await app.sql`update sources set capture_until = now() + interval '1 day' where id = ${sinalio}`;
  await post(app, sinalio, JSON.stringify({ long: "x".repeat(500) }), { "x-long": "y".repeat(500) });
  await post(app, bare, "{}");
  await untilRejected(app, bare);
  paths = [
    ["sources", "/sources"],
    ["source", `/sources/${app.sample.source}`],
    ["unconfirmed source", `/sources/${sinalio}`],
    ["payments source", `/sources/${payments}`],
    ["source without a secret", `/sources/${bare}`],
    ["new source", "/sources/new"],
    ["rejections", "/rejections"],
    ["rejections of one source", `/rejections?source=${bare}&reason=no_usable_secret`],
    ["rejections without a match", "/rejections?source=nobody-at-all"],
    ["event with a conflict", `/inbox/${await deliverConflict(app)}`],
  ];
});

async function seriousFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`),
    );
}

for (const scheme of ["light", "dark"] as const) {
  test(`every page about senders in ${scheme}: axe finds nothing serious, nothing scrolls sideways`, async ({
    signedIn: page,
  }) => {
    test.setTimeout(150_000);
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of scheme === "light" ? [1440, 390] : [1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [name, path] of paths) {
        await page.goto(path);
        await expect(page.getByRole("main")).toBeVisible();
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow, `${name} at ${width}`).toBeLessThanOrEqual(0);
        expect(await seriousFindings(page), `${name} at ${width}`).toEqual([]);
      }
    }
  });
}

test("the dialogs and an opened capture, too", async ({ signedIn: page }) => {
  await page.goto(`/sources/${sinalio}`);
  await page.getByRole("region", { name: "Captured requests" }).locator("summary").click();
  expect(await seriousFindings(page)).toEqual([]);
  for (const button of ["Pause…", "Rotate…", "Replace…", "Stop…", "Confirm…"]) {
    await page.getByRole("button", { name: button }).first().click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await seriousFindings(page), button).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }
});

test("without a token every page about senders sends to /enter and tells nothing", async ({ app }) => {
  for (const [name, path] of paths) {
    const response = await fetch(`${app.url}${path}`, { redirect: "manual" });
    const body = await response.text();
    expect(response.headers.get("location") ?? body, name).toContain("/enter");
    expect(body, name).not.toMatch(/signature missing|acct_sample|Fingerprint/);
  }
});

test("looking at them changes nothing", async ({ app }) => {
  const count = async () =>
    (
      await app.sql`select (select count(*) from audit_entries) as audit, (select count(*) from inbox_events) as events`
    )[0];
  const before = await count();
  for (const [, path] of paths)
    await fetch(`${app.url}${path}`, { headers: { cookie: `counterfoil_token=${app.token}` } });
  expect(await count()).toEqual(before);
});

test("a source that is not there is a page of its own", async ({ signedIn: page }) => {
  for (const path of ["/sources/nobody", "/sources/%00", "/sources/%E2%80%AE"])
    expect((await page.goto(path))?.status(), path).toBe(404);
});
