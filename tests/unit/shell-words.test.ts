import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bodyWord, type Piece, quote, variable, word } from "#lib/console/shell-words.ts";

const shell = (line: string) =>
  spawnSync("sh", ["-c", `printf %s ${line}`], {
    encoding: "utf8",
    env: { ID: "i'd $X", NOW: "17" } as unknown as NodeJS.ProcessEnv,
  }).stdout;

const text = fc.string({ unit: fc.constantFrom(..."ab'\"$`\\ \n{}!*é;&|<>~#=()"), maxLength: 12 });

it("a quoted text is one word of a shell and nothing else, whatever is in it", () => {
  fc.assert(
    fc.property(text, (any) => {
      expect(shell(quote(any))).toBe(any);
    }),
    { numRuns: 150 },
  );
});

it("texts and variables together are one word", () => {
  const piece: fc.Arbitrary<Piece> = fc.oneof(text, fc.constantFrom(variable("id"), variable("s")));
  const value = (each: Piece) => (typeof each === "string" ? each : each.name === "ID" ? "i'd $X" : "17");
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
      expect(shell(word(pieces))).toBe(pieces.map(value).join(""));
    }),
    { numRuns: 150 },
  );
});

it("a body's marks become what the variables hold, a time without its quotes", () => {
  const body = JSON.stringify({ id: variable("id").mark, at: variable("s").mark, note: "it's $HOME `x`" });
  expect(shell(bodyWord(body))).toBe('{"id":"i\'d $X","at":17,"note":"it\'s $HOME `x`"}');
});
