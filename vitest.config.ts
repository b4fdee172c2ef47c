import { defineConfig } from "vitest/config";

const server = { globalSetup: ["tests/support/global-setup.ts"] };

export default defineConfig({
  test: {
    // Real processes and a real PostgreSQL on few cores: more files at once only makes all of them slow.
    maxWorkers: 2,
    pool: "forks",
    // What is told per event would bury the report; a process under test has settings of its own.
    env: { LOG_LEVEL: "warn" },
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"], testTimeout: 30_000 } },
      {
        test: {
          name: "integration",
          include: ["tests/integration/**/*.test.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          ...server,
        },
      },
      {
        test: {
          name: "faults",
          include: ["tests/faults/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          ...server,
        },
      },
    ],
  },
});
