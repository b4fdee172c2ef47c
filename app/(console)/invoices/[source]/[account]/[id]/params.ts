import { isCleanId } from "#lib/json.ts";
import type { InvoiceKey } from "#lib/trace/types.ts";

/** As the address gives them: percent-encoded. */
export type InvoiceParams = { source: string; account: string; id: string };

/** The key that an address names; null when it cannot be one. */
export function readKey({ source, account, id }: InvoiceParams): InvoiceKey | null {
  try {
    const key = {
      source: decodeURIComponent(source),
      account: decodeURIComponent(account),
      invoice: decodeURIComponent(id),
    };
    return Object.values(key).every(isCleanId) ? key : null;
  } catch {
    // A lone % is no encoding of anything.
    return null;
  }
}
