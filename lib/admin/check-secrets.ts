import { type Problem, refuse } from "#lib/outcome.ts";
import type { SourceAdapter } from "#lib/sources/types.ts";

/** A refusal when one of the texts cannot be a secret of this sender. It names the place, never the text. */
export function checkSecrets(
  adapter: SourceAdapter,
  texts: readonly string[],
  contract: unknown,
): { ok: false; problem: Problem } | null {
  for (const [index, text] of texts.entries()) {
    const why = adapter.checkSecret(text, contract);
    if (why) return refuse("unacceptable", `Secret ${index + 1}: ${why}.`);
  }
  return null;
}
