import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { fuzzDriver, startFuzzServer } from "./support/driver-fuzz.ts";
import { copyPristineDriver, PATCHED_CJS, PATCHED_ESM } from "./support/driver-pristine.ts";
import type { SupervisedServer } from "./support/driver-server.ts";

// CASES.md W06. DRIVER_FUZZ_ROUNDS makes it longer, DRIVER_FUZZ_SEED plays a failed run again.
const ROUNDS = Number(process.env.DRIVER_FUZZ_ROUNDS ?? 93);
const SEED = Number(process.env.DRIVER_FUZZ_SEED ?? Math.floor(Math.random() * 1e9));

describe("the driver when the server ends its connections", () => {
  let server: SupervisedServer;
  beforeAll(async () => {
    server = await startFuzzServer();
  }, 60_000);
  afterAll(() => server?.stop(), 30_000);

  test("patched: no crash, nothing hangs, nothing is half applied, nobody gets another's error", {
    timeout: 60_000 + ROUNDS * 1_000,
  }, async () => {
    onTestFailed(() => console.error(`DRIVER_FUZZ_SEED=${SEED}`));
    const { rounds, failures } = await fuzzDriver(server, {
      driver: PATCHED_ESM,
      seed: SEED,
      rounds: ROUNDS,
    });
    expect(failures).toEqual([]);
    expect(rounds).toBe(ROUNDS);
  });

  test("patched, as CommonJS: the same", { timeout: 60_000 }, async () => {
    const { failures } = await fuzzDriver(server, { driver: PATCHED_CJS, seed: SEED, rounds: 31 });
    expect(failures).toEqual([]);
  });

  test("pristine: still fails; when this does not, drop db/patches/postgres+*.patch", {
    timeout: 120_000,
  }, async () => {
    const pristine = await copyPristineDriver();
    try {
      const options = { driver: pristine.entry, seed: 1, rounds: 60, stopAtFirst: true };
      const { failures } = await fuzzDriver(server, options);
      expect(failures.length).toBeGreaterThan(0);
    } finally {
      await pristine.remove();
    }
  });

  test("LISTEN comes back within seconds, each time its backend is terminated", {
    timeout: 30_000,
  }, async () => {
    const sql = postgres(server.url, { max: 1, backoff: () => 0.25 });
    try {
      const heard: string[] = [];
      let listening = 0;
      const { state } = await sql.listen(
        "driver_listen",
        (payload) => heard.push(payload),
        () => void listening++,
      );
      for (let loss = 1; loss <= 5; loss++) {
        await sql`select pg_terminate_backend(${state.pid})`; // the driver keeps the pid current
        await expect.poll(() => listening, { timeout: 5_000 }).toBe(loss + 1);
        await sql.notify("driver_listen", `after loss ${loss}`);
        await expect.poll(() => heard, { timeout: 5_000 }).toContain(`after loss ${loss}`);
        await sleep(20);
      }
    } finally {
      await sql.end({ timeout: 5 });
    }
  });
});
