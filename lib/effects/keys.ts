import type { EffectEvent } from "./types.ts";

/** What the sums of one invoice are decided under: its grant and all its reversals. */
export const invoiceKey = (
  { sourceId, account }: Pick<EffectEvent, "sourceId" | "account">,
  invoice: string,
) => JSON.stringify([sourceId, account, "invoice", invoice]);

/** Names come from people; in a subject line a line break would begin a new header. */
export const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, " ").slice(0, 120);

export const fail = (failureClass: "invalid" | "mismatch", why: string) =>
  ({ kind: "fail", failureClass, why }) as const;
