import { readFile } from "node:fs/promises";
import { z } from "zod";
import { getCheck, postCheck } from "#lib/api/endpoints/running.ts";
import type { Check } from "#lib/check/check.ts";
import { VIOLATIONS_SHOWN } from "#lib/check/check.ts";
import type { Client } from "../client.ts";
import { type Command, text } from "../command.ts";
import { CliFailure, EXIT } from "../failure.ts";
import { showText } from "../table.ts";

/** The API takes so many at once. */
const CHUNK = 10_000;

export const check: Command = {
  name: "check",
  usage: "[--acks FILE]",
  summary:
    "Check what must always be true; exit status 1 when it is not. FILE: acknowledged uuids, one a line or a JSON array",
  options: { acks: { type: "string" } },
  positionals: [],
  async run(args, { client, print }) {
    const path = text(args, "acks");
    const checks = path ? await checkWithAcks(client, await readAcks(path)) : (await client(getCheck)).checks;
    const ok = checks.every((each) => each.ok);
    print({ ok, checks }, () => checks.map(showCheck).join("\n"));
    return ok ? EXIT.done : EXIT.refused;
  },
};

async function checkWithAcks(client: Client, acks: readonly string[]): Promise<Check[]> {
  let merged: Check[] = [];
  for (let at = 0; at === 0 || at < acks.length; at += CHUNK) {
    const { checks } = await client(postCheck, { body: { acks: acks.slice(at, at + CHUNK) } });
    merged = merged.length === 0 ? checks : mergeAcks(checks, merged);
  }
  const last = merged.at(-1)!;
  return [
    ...merged.slice(0, -1),
    { ...last, rule: `Every acknowledged event is stored (${acks.length} were compared).` },
  ];
}

/** The newest look at the rules; of the comparisons, which come last, the sum. */
function mergeAcks(newer: Check[], older: Check[]): Check[] {
  const [a, b] = [older.at(-1)!, newer.at(-1)!];
  const violations = [...a.violations, ...b.violations].slice(0, VIOLATIONS_SHOWN);
  return [...newer.slice(0, -1), { ...b, ok: a.ok && b.ok, count: a.count + b.count, violations }];
}

async function readAcks(path: string): Promise<string[]> {
  const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CliFailure(`${path} cannot be read (${error.code}).`, EXIT.usage);
  });
  return parseAcks(content);
}

/** One uuid a line, or a JSON array of them. */
export function parseAcks(content: string): string[] {
  if (!content.trimStart().startsWith("[")) return content.split(/\s+/).filter(Boolean);
  const list = z.array(z.string()).safeParse(parseOrNull(content));
  if (list.success) return list.data;
  throw new CliFailure("The file must be uuids, one a line, or a JSON array of texts.", EXIT.usage);
}

function parseOrNull(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

function showCheck({ ok, name, rule, count, violations }: Check): string {
  if (ok) return `ok      ${name}  ${rule}`;
  const shown = violations.map((violation) => `        ${showText(JSON.stringify(violation))}`);
  const more = count > shown.length ? [`        … and ${count - shown.length} more`] : [];
  return [`BROKEN  ${name}  ${rule} ${count} row${count === 1 ? "" : "s"}:`, ...shown, ...more].join("\n");
}
