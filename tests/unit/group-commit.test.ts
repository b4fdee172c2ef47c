import { describe, expect, it } from "vitest";
import { GroupCommit, type GroupCommitOptions, Overloaded } from "#lib/receive/group-commit.ts";

function open(options: Partial<GroupCommitOptions<number, number>> = {}) {
  const batches: number[][] = [];
  let release: (() => void)[] = [];
  const commit = new GroupCommit<number, number>({
    async write(batch) {
      batches.push([...batch]);
      await new Promise<void>((resolve) => release.push(resolve));
      return batch.map((item) => item * 10);
    },
    sizeOf: () => 1,
    isRowFault: () => false,
    maxRows: 4,
    maxBatchBytes: 1_000,
    maxWaitingRows: 8,
    maxWaitingBytes: 1_000,
    parallel: 1,
    ...options,
  });
  const finish = async () => {
    await new Promise(setImmediate);
    while (release.length > 0) {
      const now = release;
      release = [];
      for (const resolve of now) resolve();
      await new Promise(setImmediate);
    }
  };
  return { commit, batches, finish };
}

describe("group commit", () => {
  it("writes what came in one turn together, and lets those that arrive meanwhile share the next batch", async () => {
    const { commit, batches, finish } = open();
    const first = [1, 2].map((item) => commit.add(item));
    await new Promise(setImmediate);
    expect(batches).toEqual([[1, 2]]);
    const results = Promise.all([...first, ...[3, 4, 5, 6, 7].map((item) => commit.add(item))]);
    await finish();
    expect(await results).toEqual([10, 20, 30, 40, 50, 60, 70]);
    expect(batches).toEqual([[1, 2], [3, 4, 5, 6], [7]]);
  });

  it("refuses what would not fit into the bounded queue", async () => {
    const { commit, finish } = open({ maxWaitingRows: 2 });
    const first = commit.add(1);
    await new Promise(setImmediate);
    const kept = [first, ...[2, 3].map((item) => commit.add(item))];
    await expect(commit.add(4)).rejects.toBeInstanceOf(Overloaded);
    await finish();
    expect(await Promise.all(kept)).toEqual([10, 20, 30]);
  });

  it("bounds a batch by bytes, but lets a single large item through", async () => {
    const { commit, batches, finish } = open({ sizeOf: (item) => item, maxBatchBytes: 10 });
    const results = Promise.all([50, 6, 6].map((item) => commit.add(item)));
    await finish();
    await results;
    expect(batches).toEqual([[50], [6], [6]]);
  });

  it("does not fail the others for one bad row", async () => {
    const bad = new Error("bad row");
    const { commit } = open({
      isRowFault: (error) => error === bad,
      write: async (batch) => {
        if (batch.includes(3)) throw bad;
        return batch.map((item) => item * 10);
      },
    });
    const results = await Promise.allSettled([1, 2, 3, 4].map((item) => commit.add(item)));
    expect(results.map((result) => (result.status === "fulfilled" ? result.value : result.reason))).toEqual([
      10,
      20,
      bad,
      40,
    ]);
  });

  it("fails the whole batch when the database is what failed, and tries nothing twice", async () => {
    let writes = 0;
    const { commit } = open({
      write: async () => {
        writes++;
        throw new Error("gone");
      },
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => commit.add(item)));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    expect(writes).toBe(1);
  });
});
