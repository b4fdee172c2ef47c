import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiffRow, diffLines } from "#lib/console/line-diff.ts";

const kinds = (left: string, right: string) => diffLines(left, right).map(({ kind }) => kind);

/** What a row says of one side, folded stretches left out. */
const side = (rows: DiffRow[], name: "left" | "right") =>
  rows.flatMap((row) => (name in row ? [(row as Record<"left" | "right", string>)[name]] : []));

describe("diffLines", () => {
  it("folds what is equal, and keeps three lines around a difference", () => {
    const text = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const other = text.with(10, "other");
    expect(kinds(text.join("\n"), text.join("\n"))).toEqual(["folded"]);
    expect(diffLines(text.join("\n"), other.join("\n"))).toMatchObject([
      { kind: "folded", lines: 7 },
      ...Array.from({ length: 3 }, () => ({ kind: "same" })),
      { kind: "changed", left: "line 10", right: "other", leftLine: 11, rightLine: 11 },
      ...Array.from({ length: 3 }, () => ({ kind: "same" })),
      { kind: "folded", lines: 6 },
    ]);
  });

  it("tells what was added and removed from what was changed", () => {
    expect(kinds("a\nb\nc", "a\nc")).toEqual(["same", "removed", "same"]);
    expect(kinds("a\nc", "a\nb\nc")).toEqual(["same", "added", "same"]);
    expect(kinds("a\nb\nc", "a\nx\nc")).toEqual(["same", "changed", "same"]);
  });

  it("leaves both texts whole, marks every line that differs, and none when nothing does", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "{", "}"), { maxLength: 12 })
      .map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (left, right) => {
        const rows = diffLines(left, right);
        const shown = rows.filter(({ kind }) => kind !== "folded");
        if (rows.length === shown.length) {
          expect(side(rows, "left").join("\n")).toBe(left);
          expect(side(rows, "right").join("\n")).toBe(right);
        }
        for (const row of rows) if (row.kind === "same") expect(row.left).toBe(row.right);
        expect(shown.every(({ kind }) => kind === "same")).toBe(left === right);
      }),
      { numRuns: 500 },
    );
  });

  it("stays quick where the middle of both is long", () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join("\n");
    const start = performance.now();
    const rows = diffLines(lines("left"), lines("right"));
    expect(rows).toHaveLength(20_000);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});
