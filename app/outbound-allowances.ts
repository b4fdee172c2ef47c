import { env } from "#lib/env.ts";
import { type Allowances, parseAllowances } from "#lib/outbound/allowances.ts";

/** What OUTBOUND_ALLOW lets through; checked when the settings were read. */
export function outboundAllowances(): Allowances {
  const parsed = parseAllowances(env().OUTBOUND_ALLOW ?? "");
  if (!parsed.ok) throw new Error(`OUTBOUND_ALLOW: ${parsed.why}`);
  return parsed.allow;
}
