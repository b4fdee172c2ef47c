import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test as base, expect, type Page } from "@playwright/test";
import postgres from "postgres";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";
import { untilAlive } from "./actions.ts";

type Sample = { source: string; account: string; secret: string; customer: string };
type Answer = { status: number; body: { status: string; event: string } };

export type App = {
  url: string;
  sql: postgres.Sql;
  sample: Sample;
  token: string;
  /** Signs an event about a paid invoice with the official library and delivers it to the running receiver. */
  deliver(invoice: string, event?: { id?: string; type?: string }): Promise<Answer>;
  /** Waits until the worker has made the event done. */
  untilDone(event: string): Promise<void>;
  /** Credits of the sample's workspace. */
  balance(): Promise<number>;
};

export const randomInvoice = () => `in_${randomBytes(9).toString("hex")}`;

/** Noise of the browser that is no fault of a page: a page that is meant to be missing, a connection that was cut. */
const EXPECTED = /status of (404|401|503)|net::ERR_(ABORTED|FAILED)/;

type Fixtures = { signedIn: Page; faults: string[] };

export const test = base.extend<Fixtures, { app: App }>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
    async ({}, use) => {
      const dataDir = process.env.E2E_DATA_DIR!;
      const read = async (name: string) => (await readFile(join(dataDir, name), "utf8")).trim();
      const sql = postgres(await read("database-url"), { max: 2, onnotice: () => {} });
      await use(createApp(sql, JSON.parse(await read("sample.json")), await read("console-token")));
      await sql.end({ timeout: 1 });
    },
    { scope: "worker" },
  ],

  /** What a page threw or complained about; a test that expects none ends with none. */
  // biome-ignore lint/correctness/noEmptyPattern: as above
  faults: async ({}, use) => {
    const faults: string[] = [];
    await use(faults);
    expect(faults).toEqual([]);
  },

  baseURL: async ({ app }, use) => use(app.url),

  signedIn: async ({ page, app, faults }, use) => {
    await page.context().addCookies([{ name: "counterfoil_token", value: app.token, url: app.url }]);
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !EXPECTED.test(message.text())) faults.push(message.text());
    });
    const goto = page.goto.bind(page);
    page.goto = async (url, options) => {
      const response = await goto(url, options);
      await untilAlive(page);
      return response;
    };
    await use(page);
  },
});

export { expect };

function createApp(sql: postgres.Sql, sample: Sample, token: string): App {
  const url = process.env.E2E_URL!;
  return {
    url,
    sql,
    sample,
    token,
    async deliver(invoice, event = {}) {
      const object = stripeInvoice({ id: invoice, customer: sample.customer });
      const body = JSON.stringify(stripeEvent(event, object));
      const response = await fetch(`${url}/api/webhooks/${sample.source}`, {
        method: "POST",
        headers: { "content-type": "application/json", "stripe-signature": signStripe(body, sample.secret) },
        body,
      });
      return { status: response.status, body: (await response.json()) as Answer["body"] };
    },
    async untilDone(event) {
      const status = async () => (await sql`select status from inbox_events where id = ${event}`)[0]?.status;
      await expect.poll(status, { timeout: 15_000, intervals: [50] }).toBe("done");
    },
    async balance() {
      const [row] = await sql`
        select credit_balance::int as credits from workspaces w
        join customer_links l on l.workspace_id = w.id where l.customer = ${sample.customer}`;
      return row!.credits as number;
    },
  };
}
