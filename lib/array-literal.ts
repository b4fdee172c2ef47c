/** A PostgreSQL array literal of what `textOf` says about each item. */
export function toArrayLiteral<T>(items: readonly T[], textOf: (item: T) => string | null): string {
  let text = "{";
  for (const item of items) {
    const value = textOf(item);
    if (text.length > 1) text += ",";
    text += value === null ? "NULL" : `"${/["\\]/.test(value) ? value.replace(/["\\]/g, "\\$&") : value}"`;
  }
  return `${text}}`;
}
