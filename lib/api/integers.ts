/** An integer in JSON: a number where a double holds it exactly, else its digits as text. */
export function toJsonInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
