import { expect, type Locator, type Page } from "@playwright/test";

/**
 * A page can be seen before its scripts listen, and what is pressed then is lost. React leaves a mark on every
 * element that it has taken over; all controls must have one.
 */
export async function untilAlive(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const controls = [
      ...document.querySelectorAll("#main :is(input, select, textarea, button), .top button"),
    ];
    return controls.every((control) => Object.keys(control).some((key) => key.startsWith("__reactProps")));
  });
}

export async function findId(page: Page, id: string): Promise<void> {
  await page.keyboard.press("/");
  await expect(page.getByLabel(/^Find an event/)).toBeFocused();
  await page.keyboard.type(id);
  await page.keyboard.press("Enter");
}

export async function openReplay(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Replay…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  return dialog;
}
