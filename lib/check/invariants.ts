import type { Sql, Tx } from "#db/client.ts";
import { type Check, type Rule, VIOLATIONS_SHOWN, type Violation } from "./check.ts";
import { DECISION_RULES } from "./decision-rules.ts";
import { EFFECT_RULES } from "./effect-rules.ts";
import { LEDGER_RULES } from "./ledger-rules.ts";
import { OUTBOX_RULES } from "./outbox-rules.ts";
import { STATE_RULES } from "./state-rules.ts";

export const RULES: readonly Rule[] = [
  ...LEDGER_RULES,
  ...EFFECT_RULES,
  ...STATE_RULES,
  ...DECISION_RULES,
  ...OUTBOX_RULES,
];

/** Whole tables are read and joined; the pools' limits are meant for pages. */
const TIMEOUT = "10min";
const MEMORY = "64MB";

/**
 * Checks what must always be true (CONTRACT §6). Safe beside running work: each rule is one statement, so it sees
 * whole transactions only.
 */
export async function checkInvariants(sql: Sql): Promise<Check[]> {
  return await sql.begin("read only", async (tx) => {
    await tx`select set_config('statement_timeout', ${TIMEOUT}, true), set_config('work_mem', ${MEMORY}, true)`;
    const checks: Check[] = [];
    for (const rule of RULES) checks.push(await checkRule(tx, rule));
    return checks;
  });
}

async function checkRule(tx: Tx, { name, rule, query }: Rule): Promise<Check> {
  const rows = await tx.unsafe<(Violation & { found: number })[]>(
    `select count(*) over ()::int as found, violation.* from (${query}) violation limit ${VIOLATIONS_SHOWN}`,
  );
  const violations = rows.map(({ found: _, ...violation }) => violation as Violation);
  return { name, rule, ok: rows.length === 0, count: rows[0]?.found ?? 0, violations };
}
