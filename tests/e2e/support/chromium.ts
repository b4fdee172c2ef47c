import { accessSync, constants, existsSync } from "node:fs";
import { chromium } from "@playwright/test";

const SYSTEM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export type Launch = { executablePath: string; args: string[] };

/**
 * A Chromium that needs no manual install: CHROMIUM_PATH, the system's, Playwright's own, and last the one that comes
 * as an npm package. Its recommended list of arguments has --single-process, with which closing one page ends the
 * browser, so only these two are given.
 */
export async function findChromium(): Promise<Launch> {
  const args = ["--no-sandbox", "--disable-gpu"];
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH) return { executablePath: CHROMIUM_PATH, args };
  const installed = [...SYSTEM, chromium.executablePath()].find(isExecutable);
  if (installed) return { executablePath: installed, args };
  const { default: packaged } = await import("@sparticuz/chromium");
  // Without it a packaged WebGL library of 20 MB is unpacked for nothing.
  packaged.setGraphicsMode = false;
  return { executablePath: await packaged.executablePath(), args };
}

function isExecutable(path: string): boolean {
  if (!path || !existsSync(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
