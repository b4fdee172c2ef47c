import { insertEvent } from "./support/fixtures.ts";
import { type KnownPages, preparePages } from "./support/pages.ts";
import { expect, test } from "./support/test.ts";

let pages: KnownPages;
test.beforeAll(async ({ app }) => {
  pages = await preparePages(app);
});

const paper = (page: import("@playwright/test").Page) =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);

const LIGHT = "rgb(250, 249, 246)";
const DARK = "rgb(19, 20, 22)";

for (const scheme of ["light", "dark"] as const) {
  test(`every page in ${scheme}, at desktop and phone width, without scrolling sideways`, async ({
    signedIn: page,
  }, info) => {
    test.setTimeout(240_000);
    await page.emulateMedia({ colorScheme: scheme });
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
      [320, 640],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const [name, path] of pages.paths) {
        await page.goto(path);
        await expect(page.getByRole("main")).toBeVisible();
        expect(await paper(page), name).toBe(scheme === "light" ? LIGHT : DARK);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow, `${name} at ${width}`).toBeLessThanOrEqual(0);
        if (width > 320)
          await page.screenshot({ path: info.outputPath(`${name}-${width}.png`), fullPage: width < 700 });
      }
    }
  });
}

test("the chosen theme wins over the system's, and is there before the first paint", async ({
  signedIn: page,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/");
  await page.getByRole("button", { name: /^Theme: system/ }).click();
  await page.getByRole("button", { name: /^Theme: light/ }).click();
  await expect(page.getByRole("button", { name: /^Theme: dark/ })).toBeVisible();
  expect(await paper(page)).toBe(DARK);
  const html = await (await page.request.get("/")).text();
  expect(html).toMatch(/<html[^>]* data-theme="dark"/);
  await page.goto("/inbox");
  expect(await paper(page)).toBe(DARK);
});

test("on a phone the navigation folds away and comes back", async ({ signedIn: page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  const nav = page.getByRole("navigation", { name: "Console" });
  await expect(nav).toBeHidden();
  await page.getByRole("button", { name: "Menu" }).click();
  await nav.getByRole("link", { name: /Inbox/ }).click();
  await expect(page.getByRole("heading", { name: "Inbox" })).toBeVisible();
  await expect(nav).toBeHidden();
});

test("the overview is alive: a new failure appears without reloading", async ({ signedIn: page, app }) => {
  await page.goto("/");
  const card = page.getByRole("link", { name: /^Failed, to look at/ });
  const before = Number.parseInt((await card.locator(".figure").textContent())!, 10);
  await insertEvent(app.sql, {
    eventId: `evt_${Math.random()}`,
    status: "failed",
    failureClass: "invalid",
    why: "test",
  });
  await expect(card.locator(".figure")).toContainText(String(before + 1), { timeout: 15_000 });
  await card.click();
  await expect(page).toHaveURL(/status=failed/);
});
