import type { SourceKind } from "#db/states.ts";
import { github } from "./github.ts";
import { hmac } from "./hmac.ts";
import { payments } from "./payments.ts";
import { sinalio } from "./sinalio.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import { stripe } from "./stripe.ts";
import type { SourceAdapter } from "./types.ts";

/** One line per sender. `manual` is built in and has none: nobody can send to it. */
export const adapters: readonly SourceAdapter[] = [stripe, github, standardWebhooks, payments, sinalio, hmac];

const byKind: ReadonlyMap<SourceKind, SourceAdapter> = new Map(
  adapters.map((adapter) => [adapter.kind, adapter]),
);

export function adapterOf(kind: SourceKind): SourceAdapter | undefined {
  return byKind.get(kind);
}
