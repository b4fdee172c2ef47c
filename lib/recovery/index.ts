import type { SourceKind } from "#db/states.ts";
import { github } from "./github.ts";
import { payments } from "./payments.ts";
import { stripe } from "./stripe.ts";
import type { Recovery } from "./types.ts";

/** One line per kind of sender that can be asked what it sent. The others offer nothing to compare with. */
export const recoveries: readonly Recovery[] = [stripe, github, payments];

export function recoveryOf(kind: SourceKind): Recovery | undefined {
  return recoveries.find((recovery) => recovery.kind === kind);
}
