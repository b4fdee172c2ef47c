import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeCsvLine } from "#lib/console/csv.ts";
import { type InboxFilter, toBulkFilter } from "#lib/console/inbox-filter.ts";
import { operationTitle, sortVerdicts } from "#lib/console/operation-words.ts";
import { describeFilter, inboxFilter, isEmptyFilter } from "#lib/operations/filter.ts";

const NOTHING: InboxFilter = {
  status: "all",
  source: null,
  type: null,
  account: null,
  subject: null,
  q: null,
  range: null,
};
const NOW = Date.parse("2026-03-03T10:00:00Z");

describe("the list's filter as a bulk action's", () => {
  it("keeps the time range of the list, counted from the list's clock", () => {
    expect(toBulkFilter(NOTHING, NOW)).toEqual({ since: "2026-03-02T10:00:00.000Z" });
    expect(toBulkFilter({ ...NOTHING, range: "1h", status: "failed" }, NOW)).toEqual({
      status: "failed",
      since: "2026-03-03T09:00:00.000Z",
    });
    expect(toBulkFilter({ ...NOTHING, q: "evt_1" }, NOW)).toEqual({ q: "evt_1" });
  });

  it("is none where it would cover everything", () => {
    expect(toBulkFilter({ ...NOTHING, range: "all" }, NOW)).toBeNull();
    expect(isEmptyFilter({})).toBe(true);
    expect(isEmptyFilter({ status: undefined })).toBe(true);
  });

  it("is always one that the API takes", () => {
    const text = fc.option(fc.string({ minLength: 1, maxLength: 40 }).filter((value) => value.trim() !== ""));
    const filter = fc.record({
      status: fc.constantFrom("all" as const, "failed" as const, "waiting" as const),
      source: text,
      type: text,
      account: text,
      subject: text,
      q: text,
      range: fc.constantFrom(null, "1h" as const, "30d" as const, "all" as const),
    });
    fc.assert(
      fc.property(filter, (value) => {
        const bulk = toBulkFilter(value, NOW);
        if (bulk) expect(inboxFilter.safeParse(bulk).success).toBe(true);
      }),
    );
  });

  it("is told in words", () => {
    expect(describeFilter({ status: "failed", source: "billing" })).toBe("state failed, source billing");
    expect(describeFilter({ ids: ["a", "b"] })).toBe("2 picked by hand");
  });
});

describe("a line of CSV", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])("does not let %j be run", (text) => {
    expect(writeCsvLine([text])).toMatch(/^"?'/);
  });

  it("keeps numbers as they are, and nothing as nothing", () => {
    expect(writeCsvLine([-5, null, "plain"])).toBe("-5,,plain\r\n");
  });

  it("gives every text back to who reads it, and never begins a cell with what is run", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (texts) => {
        const cells = readLine(writeCsvLine(texts));
        expect(cells.map((cell) => cell.replace(/^'(?=[=+\-@\t\r])/, ""))).toEqual(
          texts.map((text) => text.replace(/^'(?=[=+\-@\t\r])/, "")),
        );
        expect(cells.some((cell) => /^[=+\-@\t\r]/.test(cell))).toBe(false);
      }),
    );
  });
});

/** A small reader of one RFC 4180 line. */
function readLine(line: string): string[] {
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/y;
  while (cell.lastIndex < line.length) {
    const match = cell.exec(line);
    if (!match) throw new Error(`not a line of CSV: ${JSON.stringify(line)}`);
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
  }
  return cells;
}

it("an operation is named by what it does to how many, and its failures stand last", () => {
  expect(operationTitle({ action: "replay", count: 48 })).toBe("Replay 48 events");
  expect(operationTitle({ action: "dismiss", count: 1 })).toBe("Dismiss 1 event");
  expect(
    sortVerdicts({ failed: 9, applied: 1, skipped: 3, already_applied: 5 }).map(([name]) => name),
  ).toEqual(["already_applied", "applied", "skipped", "failed"]);
});
