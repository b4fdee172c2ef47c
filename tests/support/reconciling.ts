import type { Sql } from "#db/client.ts";
import { putCredentials } from "#lib/admin/put-credentials.ts";
import { parseAllowances } from "#lib/outbound/allowances.ts";
import { type RunRequest, requestRun } from "#lib/reconcile/request-run.ts";
import { type WorkOptions, workRun } from "#lib/reconcile/work.ts";
import { tester, unwrap } from "./outcomes.ts";
import { type Product, SECRET_KEY } from "./product.ts";
import { until } from "./running-app.ts";

export const API_KEY = "sk_live_of_the_tests";

const loopback = parseAllowances("127.0.0.1");
if (!loopback.ok) throw new Error(loopback.why);

export const workOptions = (stop = new AbortController().signal): WorkOptions => ({
  keys: [SECRET_KEY],
  allow: loopback.allow,
  stop,
});

export async function giveCredentials(sql: Sql, source: string, baseUrl: string, apiKey = API_KEY) {
  unwrap(await putCredentials(sql, tester, SECRET_KEY, { id: source, apiKey, baseUrl }));
}

// biome-ignore lint/suspicious/noExplicitAny: tests assert what is in it
export type Row = Record<string, any>;

export async function readRun(sql: Sql, id: string): Promise<Row> {
  const [row] = await sql`select * from reconciliation_runs where id = ${id}`;
  return row!;
}

/** Open gaps by class and subject. */
export async function listOpen(sql: Sql): Promise<{ class: string; subject: string; why: string }[]> {
  const rows = await sql<{ class: string; subject: string; why: string }[]>`
    select class, subject, why from reconciliation_gaps where status = 'open' order by class, subject`;
  return rows.map((row) => ({ ...row }));
}

const DAY = 86_400_000;

/** Asks for a run over the last days. Its id. */
export async function ask(
  sql: Sql,
  { days = 7, ...request }: Partial<RunRequest> & { days?: number } = {},
): Promise<string> {
  const from = new Date(Date.now() - days * DAY).toISOString();
  const to = new Date().toISOString();
  return unwrap(
    await requestRun(sql, tester, { source: "stripe", from, to, repair: false, reason: "test", ...request }),
  );
}

/** Works a run to its end, with a worker at the inbox between its looks. */
export async function finish(product: Product, id: string): Promise<Row> {
  await until(async () => {
    await workRun(product.sql, workOptions());
    await product.workUntilIdle();
    const { status, failures, last_error } = await readRun(product.sql, id);
    if (failures > 0 && status === "pending") throw new Error(last_error);
    return status !== "pending" && status !== "running";
  }, 20_000);
  return readRun(product.sql, id);
}
