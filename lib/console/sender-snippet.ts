import type { Mode, SourceKind } from "#db/states.ts";
import { makeTestEvent } from "#lib/admin/make-test-event.ts";
import type { SenderContract } from "#lib/sources/contract-schema.ts";
import type { TimeUnit } from "#lib/sources/contract-time.ts";
import { bodyWord, type Piece, quote, VARIABLES, variable, word } from "./shell-words.ts";
import { type Recipe, recipeOf } from "./signing-recipe.ts";

export type SnippetInput = {
  url: string;
  kind: SourceKind;
  contract: SenderContract | null;
  account: string;
  mode: Mode;
};

/**
 * Shell lines for bash and zsh that sign an event with openssl and send it with curl, as this sender would. The secret
 * is asked for when they run: it is neither here nor in anybody's history. Null where nothing can be signed. Pure.
 *
 * All stands in one pair of parentheses, so that a shell reads it to the end before `read` asks the terminal.
 */
export function writeSnippet({ url, ...source }: SnippetInput): string | null {
  const recipe = recipeOf(source.kind, source.contract);
  const made = makeTestEvent({ ...source, id: VARIABLES.id.mark, now: (unit) => VARIABLES[unit].mark });
  if (!recipe || !made.ok) return null;
  const body = JSON.stringify(made.value.payload);
  const headers = [
    "Content-Type: application/json",
    ...recipe.headers(made.value.type).map(([name, pieces]) => [`${name}: `, ...pieces]),
  ];
  return [
    "(",
    "printf 'Signing secret: ' >&2; read -rs SECRET; echo >&2",
    ...setTimes(recipe, body),
    `BODY=${bodyWord(body)}`,
    `KEY=${readKey(recipe)}`,
    `SIG=$(printf %s ${word(recipe.content)} \\`,
    `  | openssl dgst -${recipe.algorithm} -mac HMAC -macopt "hexkey:$KEY" -binary | ${ENCODERS[recipe.encoding]})`,
    `curl -sS ${quote(url)} \\`,
    ...headers.map((header) => `  -H ${word([header].flat())} \\`),
    '  --data-binary "$BODY"',
    ")",
  ].join("\n");
}

const HEX = "od -An -v -tx1 | tr -d ' \\n'";
const ENCODERS: Record<Recipe["encoding"], string> = {
  hex: HEX,
  base64: "openssl base64 -A",
  base64url: "openssl base64 -A | tr '+/' '-_' | tr -d '='",
};

/** The key as hex, whatever its characters: openssl takes it so from every kind of sender. */
function readKey({ key }: Recipe): string {
  const bare = key.prefix ? `"\${SECRET#${quote(key.prefix)}}"` : '"$SECRET"';
  if (key.encoding === "hex") return bare;
  const decode = key.encoding === "base64" ? " | openssl base64 -d -A" : "";
  return `$(printf %s ${bare}${decode} | ${HEX})`;
}

const CLOCKS: Record<TimeUnit, string> = {
  s: "$(date +%s)",
  ms: "$(date +%s)000",
  iso: "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
};

/** Assigns the moments and the id, as far as they are used. */
function setTimes(recipe: Recipe, body: string): string[] {
  const isUsed = (piece: Piece) =>
    typeof piece !== "string" &&
    (body.includes(piece.mark) ||
      [...recipe.content, ...recipe.headers("").flatMap(([, pieces]) => pieces)].includes(piece));
  const units = (["s", "ms", "iso"] as const).filter((unit) => isUsed(variable(unit)));
  return [
    ...(isUsed(variable("id")) ? [`${VARIABLES.id.name}=evt_test_$(date +%s)`] : []),
    ...units.map((unit) => `${VARIABLES[unit].name}=${CLOCKS[unit]}`),
  ];
}
