import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { type Running, startProcess } from "#tests/support/processes.ts";
import { createProduct, SECRET, SECRET_KEY } from "#tests/support/product.ts";
import { openConnection } from "#tests/support/raw-http.ts";
import { countEvents, findBroken } from "#tests/support/senders.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";

const EVENTS = Number(process.env.MEMORY_EVENTS ?? 20_000);
const WARM_UP = Number(process.env.MEMORY_WARM_UP ?? 6_000);
const CONNECTIONS = 64;
/** For a machine that stores a hundred events a second at the least. */
const LIMIT_MS = 60_000 + (EVENTS + WARM_UP) * 10;
const MIB = 2 ** 20;
/** What a heap may swing by between two collections; a leak of a kilobyte per event would be twice this. */
const SWING = 24 * MIB;

let database: TestDatabase;
let receiver: Running;
let port: number;
let sent = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  await createProduct(database.sql);
  receiver = startProcess("tests/faults/support/receiver-process.ts", {
    DATABASE_URL: database.url,
    SECRET_KEY: SECRET_KEY.toString("base64"),
    // A small young generation and a small heap make growth visible early, and a leak fatal.
    NODE_OPTIONS: "--max-old-space-size=96 --max-semi-space-size=4",
  });
  port = Number((await receiver.until(/listening on (\d+)/))[1]);
});
afterAll(async () => {
  await receiver.kill();
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const template = JSON.stringify(stripeEvent({ id: "evt_@" }));

function signed(body: string): Record<string, string> {
  const time = Math.floor(Date.now() / 1000);
  const mac = createHmac("sha256", SECRET).update(`${time}.${body}`).digest("hex");
  return { "Stripe-Signature": `t=${time},v1=${mac}` };
}

/** Each connection sends the next as soon as it has its answer. */
async function sendMany(
  count: number,
  make: (n: number) => [string, Record<string, string>],
  expected: number,
) {
  let left = count;
  const client = async () => {
    const connection = await openConnection(port);
    while (left-- > 0) {
      const { status } = await connection.post("/api/webhooks/stripe", ...swap(make(sent++)));
      expect(status).toBe(expected);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}
const swap = <A, B>([a, b]: [A, B]): [B, A] => [b, a];

/** Resident memory of the receiver, in bytes. */
async function residentMemory(): Promise<number> {
  const status = await readFile(`/proc/${receiver.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

describe.runIf(process.platform === "linux")("the receiver's memory", () => {
  const fresh = (n: number): [string, Record<string, string>] => {
    const body = template.replace("evt_@", `evt_${n}`);
    return [body, signed(body)];
  };

  it(
    `stays flat over ${EVENTS} events`,
    async () => {
      await sendMany(WARM_UP, fresh, 200);
      const before = await residentMemory();
      const seen: number[] = [];
      const start = performance.now();
      for (let part = 0; part < 4; part++) {
        await sendMany(EVENTS / 4, fresh, 200);
        seen.push(await residentMemory());
      }
      const perSecond = Math.round((EVENTS * 1000) / (performance.now() - start));
      const inMib = [before, ...seen].map((bytes) => Math.round(bytes / MIB));
      console.log(
        `RSS in MiB after ${WARM_UP} and each ${EVENTS / 4} more: ${inMib.join(", ")}; ${perSecond} events/s`,
      );
      expect(Math.max(...seen) - before).toBeLessThan(SWING);
      expect(await countEvents(database.sql, "stripe")).toBe(WARM_UP + EVENTS);
    },
    LIMIT_MS,
  );

  it("stays flat under a flood of refusals: bad signatures, unknown sources, large bodies", async () => {
    const before = await residentMemory();
    await sendMany(4_000, (n) => [template, { "Stripe-Signature": `t=${n},v1=${"0".repeat(64)}` }], 401);
    const large = await openConnection(port);
    for (let n = 0; n < 50; n++) {
      expect((await large.post(`/api/webhooks/unknown-${n}`, {}, "{}")).status).toBe(404);
      expect((await large.post("/api/webhooks/stripe", {}, Buffer.alloc(1_000_000))).status).toBe(401);
    }
    large.close();
    expect((await residentMemory()) - before).toBeLessThan(2 * SWING);
    await expect
      .poll(async () => {
        const [row] = await database.sql`select sum(count)::int as count from rejection_counts`;
        return row?.count;
      })
      .toBe(4_000 + 100);
  });
});
