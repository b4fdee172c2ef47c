import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Exit } from "#db/embedded.ts";
import type { Running } from "#lib/supervise/child.ts";
import { keepRunning } from "#lib/supervise/keep-running.ts";

const DIED: Exit = { code: 1, signal: null };
const TIMING = { firstMs: 20, maxMs: 80, settledMs: 300 };

/** Something whose lives the test ends. */
function createFake() {
  const lives: { at: number; die(): void }[] = [];
  let refusals = 0;
  const told: string[] = [];
  const options = {
    timing: TIMING,
    async start(): Promise<Running> {
      if (refusals-- > 0) throw new Error("refused");
      const exited = Promise.withResolvers<Exit>();
      lives.push({ at: Date.now(), die: () => exited.resolve(DIED) });
      return {
        pid: lives.length,
        exited: exited.promise,
        stop: async () => exited.resolve({ code: 0, signal: null }),
      };
    },
    onDied: () => void told.push("died"),
    onRestarted: (pid: number) => void told.push(`restarted ${pid}`),
    onFailed: () => void told.push("failed"),
  };
  function refuse(times: number): void {
    refusals = times;
  }
  return { lives, told, options, refuse };
}

test("starts again after each death, later each time, and soon again after a settled life", async () => {
  const fake = createFake();
  const member = await keepRunning(fake.options);
  const waits: number[] = [];
  for (let death = 0; death < 5; death++) {
    const before = Date.now();
    fake.lives.at(-1)!.die();
    await expect.poll(() => fake.told.length, { interval: 2 }).toBe(2 * (death + 1));
    waits.push(fake.lives.at(-1)!.at - before);
  }
  [20, 40, 80, 80, 80].forEach((least, death) => {
    expect(waits[death]).toBeGreaterThanOrEqual(least - 2);
  });
  await sleep(TIMING.settledMs + 20);
  const before = Date.now();
  fake.lives.at(-1)!.die();
  await expect.poll(() => fake.lives.length, { interval: 2 }).toBe(7);
  expect(fake.lives.at(-1)!.at - before).toBeLessThan(70);
  await member.stop(100);
});

test("tries on when starting again is refused", async () => {
  const fake = createFake();
  const member = await keepRunning(fake.options);
  fake.refuse(2);
  fake.lives[0]!.die();
  await expect.poll(() => fake.told).toEqual(["died", "failed", "failed", "restarted 2"]);
  await member.stop(100);
});

test("a stop is no death, and nothing comes back after it, even while a restart is due", async () => {
  const fake = createFake();
  const member = await keepRunning(fake.options);
  fake.lives[0]!.die();
  await expect.poll(() => fake.told).toEqual(["died"]);
  await member.stop(100);
  await sleep(150);
  expect(fake.lives).toHaveLength(1);
});

test("an asked restart is not reported as a death", async () => {
  const fake = createFake();
  const member = await keepRunning(fake.options);
  member.restart();
  await expect.poll(() => fake.lives.length).toBe(2);
  expect(fake.told).toEqual([]);
  await member.stop(100);
});

test("a first start that fails is an error", async () => {
  const fake = createFake();
  fake.refuse(1);
  await expect(keepRunning(fake.options)).rejects.toThrow("refused");
});
