import AxeBuilder from "@axe-core/playwright";
import { findId, openReplay } from "./support/actions.ts";
import { type KnownPages, preparePages } from "./support/pages.ts";
import { expect, test } from "./support/test.ts";

let pages: KnownPages;
test.beforeAll(async ({ app }) => {
  pages = await preparePages(app);
});

async function seriousFindings(page: import("@playwright/test").Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`),
    );
}

for (const scheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious on any page, in ${scheme}`, async ({ signedIn: page }) => {
    test.setTimeout(240_000);
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of scheme === "light" ? [1440, 390] : [1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [name, path] of pages.paths) {
        await page.goto(path);
        await expect(page.getByRole("main")).toBeVisible();
        await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
        expect(await seriousFindings(page), `${name} at ${width}`).toEqual([]);
      }
    }
  });
}

test("axe finds nothing serious in the dialogs", async ({ signedIn: page }) => {
  await page.goto(`/inbox/${pages.event}`);
  await expect(await openReplay(page)).toContainText("already applied");
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  expect(await seriousFindings(page)).toEqual([]);
});

test("the keyboard alone leads from the inbox to a replay", async ({ signedIn: page }) => {
  await page.goto("/inbox");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();

  await findId(page, pages.invoice);
  await expect(page.locator(".sentence")).toContainText("100 credits");
  const replay = page.getByRole("button", { name: "Replay…" });
  for (let tabs = 0; tabs < 30 && !(await replay.evaluate((it) => it === document.activeElement)); tabs++) {
    await page.keyboard.press("Tab");
  }
  await expect(replay).toBeFocused();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("already applied");
  await dialog.getByLabel(/Reason/).focus();
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText("Outcome");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(replay).toBeFocused();
  await expect(page.getByText("by keyboard")).toBeVisible();

  await page.goto("/inbox");
  const link = page.locator("tbody a.row-link").first();
  const href = await link.getAttribute("href");
  await link.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(href!);
});
