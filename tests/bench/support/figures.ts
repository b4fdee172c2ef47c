export type Figure = { name: string; unit: string; value: number };

/** A figure that is to be reached: at least, or at most, so much. */
export type Target = { name: string; unit: string; value: number; atLeast?: number; atMost?: number };

/** Everything that was measured, for the JSON; and the tables that people read. */
export class Figures {
  readonly all: Figure[] = [];

  add(name: string, unit: string, value: number): void {
    this.all.push({ name, unit, value: Number(value.toPrecision(5)) });
  }

  /** Adds and prints ratios beside what they are to reach. What could not be measured (NaN) is left out. */
  addTargets(title: string, targets: readonly Target[]): void {
    const known = targets.filter(({ value }) => Number.isFinite(value));
    if (known.length === 0) return;
    for (const { name, unit, value } of known) this.add(name, unit, value);
    printTable(
      title,
      ["", "measured", "to reach", ""],
      known.map((target) => [
        target.name,
        `${formatNumber(target.value)} ${target.unit}`,
        ...describeGoal(target),
      ]),
    );
  }
}

function describeGoal({ value, atLeast, atMost }: Target): string[] {
  const verdict = (reached: boolean) => (reached ? "reached" : "MISSED");
  if (atLeast !== undefined) return [`≥ ${atLeast}`, verdict(value >= atLeast)];
  if (atMost !== undefined) return [`≤ ${atMost}`, verdict(value <= atMost)];
  return [];
}

export function printTable(title: string, head: string[], rows: string[][]): void {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  ")
      .trimEnd();
  console.log(
    ["", title, "", line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join(
      "\n",
    ),
  );
}

/** Three significant digits, thousands separated: more would pretend to a precision that a shared machine has not. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "";
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}
