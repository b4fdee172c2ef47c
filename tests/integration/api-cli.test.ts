import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "#lib/cli/run-cli.ts";
import { processBatch } from "#lib/inbox/process-batch.ts";
import { ADMIN_TOKEN, CONSOLE_TOKEN, startWebServer, type WebServer } from "#tests/support/next-server.ts";

const SECRET = `whsec_${"c".repeat(32)}`;

let web: WebServer;
let dataDir: string;
let stopWork: () => Promise<void>;

beforeAll(async () => {
  web = await startWebServer();
  dataDir = await mkdtemp(join(tmpdir(), "counterfoil-cli-"));
  stopWork = keepWorking(web);
  await writeFile(join(dataDir, "console-token"), `${CONSOLE_TOKEN}\n`);
  const sample = {
    source: "shop",
    account: "acct_shop",
    secret: SECRET,
    customer: "cus_shop",
    created: 1_764_500_000,
  };
  await writeFile(join(dataDir, "sample.json"), JSON.stringify(sample));
}, 300_000);
afterAll(async () => {
  await stopWork?.();
  await web?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** The worker's part, without its process. */
function keepWorking({ sql }: WebServer): () => Promise<void> {
  let running = true;
  const loop = (async () => {
    while (running) {
      const { claimed } = await processBatch(sql, { limit: 100 }, uuidv7());
      if (claimed === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async () => {
    running = false;
    await loop;
  };
}

async function cli(line: string[], variables: Record<string, string> = {}) {
  const said = { out: "", error: "" };
  const env = { PORT: String(web.port), DATA_DIR: dataDir, ...variables };
  const exit = await runCli(line, env, {
    out: (text) => {
      said.out += `${text}\n`;
    },
    error: (text) => {
      said.error += `${text}\n`;
    },
  });
  return { exit, ...said, json: () => JSON.parse(said.out) };
}

describe("the command line, with the token of the data directory", () => {
  it("adds a source, and its sample is granted once however often it is sent", async () => {
    const secretFile = join(dataDir, "secret");
    await writeFile(secretFile, `${SECRET}\n`);
    const flags = ["--kind", "stripe", "--name", "Shop", "--account", "acct_shop", "--tenant", "shop"];
    const added = await cli(["source", "add", "shop", ...flags, "--secret-file", secretFile]);
    expect(added).toMatchObject({ exit: 0, out: `Shop receives at ${web.url}/api/webhooks/shop\n` });
    await web.call("PUT", "/api/v1/workspaces/ws_shop", { tenant: "shop", name: "Shop" });
    const link = { source: "shop", account: "acct_shop", customer: "cus_shop", workspace: "ws_shop" };
    await web.call("PUT", "/api/v1/customer-links", link);

    const first = await cli(["sample"]);
    expect(first.out).toMatch(
      /Answer {3}accepted .+\nResult {3}100 credits were granted to Shop .+\nBalance {2}100 credits/,
    );
    expect(first.out).toContain(`Trace    ${web.url}/invoices/shop/acct_shop/in_sample_1`);
    expect((await cli(["sample"])).out).toMatch(/Answer {3}duplicate .+\n.+\nBalance {2}100 credits/);
    expect((await cli(["sample", "--new", "--json"])).json()).toMatchObject({
      answer: { status: "accepted" },
      creditBalance: 200,
    });
  });

  it("lists, shows, traces and replays", async () => {
    const { items } = (await cli(["list", "--subject", "in_sample_1", "--json"])).json();
    expect(items).toHaveLength(1);
    expect((await cli(["list"])).out).toContain("in_sample_1");
    expect((await cli(["show", items[0].id])).out).toContain("applied: 100 credits granted to Shop");
    expect((await cli(["trace", "shop", "acct_shop", "in_sample_1"])).out).toContain(
      "Received again, delivery 2",
    );
    const replay = ["replay", items[0].id, "--reason", "customer asked"];
    expect((await cli([...replay, "--dry-run"])).out).toContain("already_applied:");
    expect((await cli(replay)).exit).toBe(0);
    const [row] = await web.sql`select actor from audit_entries where action = 'inbox.replay'`;
    expect(row?.actor).toBe("console");
  });

  it("rotates a secret without showing it", async () => {
    const rotated = await cli([
      "secret",
      "rotate",
      "shop",
      "--secret",
      `whsec_${"d".repeat(32)}`,
      "--overlap",
      "60",
    ]);
    expect(rotated.exit).toBe(0);
    expect(rotated.out.trim().split("\n")).toHaveLength(3);
    expect(rotated.out).not.toContain("whsec_");
  });

  it("checks the rules and a file of acknowledgements, and fails where one is missing", async () => {
    expect((await cli(["check"])).exit).toBe(0);
    const { items } = (await cli(["list", "--json"])).json();
    const ids = items.map(({ id }: { id: string }) => id);
    const file = join(dataDir, "acks");
    await writeFile(file, `${ids.join("\n")}\n\n`);
    expect((await cli(["check", "--acks", file])).exit).toBe(0);
    // More than the API takes at once, the missing one in the first part.
    await writeFile(file, JSON.stringify([uuidv7(), ...Array.from({ length: 10_500 }, () => ids[0])]));
    const broken = await cli(["check", "--acks", file]);
    expect(broken.exit).toBe(1);
    expect(broken.out).toContain("Every acknowledged event is stored (10501 were compared). 1 row:");
    await web.sql`update workspaces set credit_balance = credit_balance + 1`;
    const wrong = await cli(["check", "--json"]);
    await web.sql`update workspaces set credit_balance = credit_balance - 1`;
    expect([wrong.exit, wrong.json().ok]).toEqual([1, false]);
  });
});

describe("what goes wrong is said plainly", () => {
  it.each<[string, string[], Record<string, string>, number, RegExp]>([
    [
      "nobody there",
      ["check"],
      { PORT: "34999" },
      3,
      /^Nothing answers at http:\/\/127\.0\.0\.1:34999 \(ECONNREFUSED\)/,
    ],
    [
      "a wrong token",
      ["check"],
      { ADMIN_TOKEN: "wrong-but-long-enough" },
      1,
      /^The token is not valid\. \(401\)/,
    ],
    ["no token", ["check"], { DATA_DIR: "/nonexistent" }, 2, /^No token: set ADMIN_TOKEN/],
    [
      "no sample",
      ["sample"],
      { DATA_DIR: "/nonexistent", ADMIN_TOKEN },
      1,
      /^There is no \/nonexistent\/sample\.json/,
    ],
    ["an unknown command", ["nonsense"], {}, 2, /^Usage:/],
    ["an unknown option", ["check", "--colour"], {}, 2, /--colour/],
    ["a missing argument", ["show"], {}, 2, /^Usage: show ID/],
    ["a missing reason", ["replay", "x"], {}, 2, /^--reason is needed/],
    [
      "an unknown event",
      ["show", "01a22e93-fcba-7718-8b8f-8e24f82a9ad0"],
      {},
      1,
      /^There is no such event\. \(404\)/,
    ],
    ["a bad id", ["show", "x"], {}, 1, /\n {2}id: /],
    ["a missing file", ["check", "--acks", "/nonexistent"], {}, 2, /cannot be read \(ENOENT\)/],
    ["a bad variable", ["check"], { PORT: "x" }, 2, /^PORT: /],
    ["a bad address", ["check"], { COUNTERFOIL_URL: "nonsense" }, 2, /^COUNTERFOIL_URL: /],
  ])("%s", async (_, line, variables, exit, message) => {
    const said = await cli(line, variables);
    expect(said.error).toMatch(message);
    expect(said.exit).toBe(exit);
  });

  it("and help is no error", async () => {
    for (const line of [[], ["help"], ["--help"], ["check", "--help"]]) {
      expect(await cli(line)).toMatchObject({ exit: 0, error: "" });
    }
  });
});
