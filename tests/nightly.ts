import { spawn } from "node:child_process";
import { once } from "node:events";

/** `npm run test:nightly`: the crash, fuzz and memory tests in sizes that take hours; what is set already stays. */
const SIZES = {
  FUZZ_REQUESTS: "20000",
  DRIVER_FUZZ_ROUNDS: "1000",
  KILL_RUN_EVENTS: "10000",
  KILL_RUN_KILLS: "20",
  MEMORY_EVENTS: "500000",
  MEMORY_WARM_UP: "20000",
};
/** Milliseconds; a single test of that size may take an hour. */
const TEST_TIMEOUT = "3600000";

const vitest = [
  "node_modules/vitest/vitest.mjs",
  "run",
  "--project",
  "faults",
  "--testTimeout",
  TEST_TIMEOUT,
];
const child = spawn(process.execPath, [...vitest, ...process.argv.slice(2)], {
  env: { ...SIZES, ...process.env },
  stdio: "inherit",
});
const [code] = await once(child, "exit");
process.exit(code ?? 1);
