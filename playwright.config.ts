import { defineConfig } from "@playwright/test";
import { findChromium } from "./tests/e2e/support/chromium.ts";

/** Browser tests, against the real product in a real Chromium. Nothing to install by hand. */
export default defineConfig({
  testDir: "tests/e2e",
  testMatch: "**/*.spec.ts",
  globalSetup: "./tests/e2e/support/global-setup.ts",
  outputDir: "test-results",
  reporter: [["list"]],
  // One product and few cores: more browsers at once only make all of them slow.
  workers: 1,
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  timeout: 30_000,
  expect: { timeout: 10_000 },
  use: {
    viewport: { width: 1440, height: 900 },
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: await findChromium(),
  },
});
