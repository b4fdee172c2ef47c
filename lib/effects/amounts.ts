import type { JsonValue } from "#lib/json.ts";

/** What a bigint column holds with room to spare: sums of amounts stay inside as well. */
const MOST = 2n ** 62n;

/** ISO 4217: digits after the point where they are not two. */
const NO_DIGITS = "bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf".split(" ");
const THREE_DIGITS = "bhd iqd jod kwd lyd omr tnd".split(" ");

/** How a sender writes its amounts: whole minor units, or decimals of the major unit. */
export type AmountNotation = "minor" | "decimal";

/** An amount of minor units that nothing rounded and a bigint column holds; else null. Never negative. */
export function minorUnits(value: bigint): bigint | null {
  return value >= 0n && value < MOST ? value : null;
}

/**
 * The minor units of an amount from JSON, or null for whatever is not certain. Digits are read as digits: no value
 * passes through a float, and a decimal must have no more digits than its currency. `minor`: integers, or their digits
 * as text. `decimal`: text such as "19.99"; a JSON number with a fraction has been a float somewhere, so it is refused.
 */
export function readAmount(
  value: JsonValue | undefined,
  currency: string,
  notation: AmountNotation,
): bigint | null {
  const text =
    typeof value === "number" ? integerText(value) : typeof value === "bigint" ? `${value}` : value;
  if (typeof text !== "string") return null;
  const parts = /^([0-9]{1,19})(?:\.([0-9]{1,8}))?$/.exec(text);
  if (!parts) return null;
  const [, whole = "", fraction] = parts;
  if (notation === "minor") return fraction === undefined ? minorUnits(BigInt(whole)) : null;
  const digits = digitsOf(currency);
  if ((fraction?.length ?? 0) > digits) return null;
  return minorUnits(BigInt(whole + (fraction ?? "").padEnd(digits, "0")));
}

const integerText = (value: number) => (Number.isSafeInteger(value) ? String(value) : null);

/** Digits of the minor unit of a currency (lower case). */
export function digitsOf(currency: string): number {
  if (NO_DIGITS.includes(currency)) return 0;
  return THREE_DIGITS.includes(currency) ? 3 : 2;
}
