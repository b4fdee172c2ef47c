/** Columns as wide as their widest cell; control characters of foreign text do not reach the terminal. */
export function writeTable(head: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => showText(cell ?? "-")));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Ids and reasons come from outside, and a terminal obeys escape sequences. */
export function showText(value: string): string {
  return value.replace(/\p{C}/gu, "\ufffd");
}
