import type { Mode, SourceKind } from "#db/states.ts";
import type { Allowances } from "#lib/outbound/allowances.ts";
import type { Credentials } from "#lib/sources/credentials.ts";

/** From is inside, to is outside. Milliseconds since the epoch, on the sender's clock. */
export type Window = { from: number; to: number };

/** One thing of a sender's list: a paid invoice, a transaction, or a webhook delivery. */
export type SenderObject = {
  /** The sender's account without mode suffix; null is the source's own. */
  account: string | null;
  mode: Mode;
  /** The invoice or transaction; for deliveries the event id that the receipts carry. */
  subject: string;
  /** When it became what it is. Milliseconds since the epoch. */
  at: number;
  /** Whether the sender counts it as paid. */
  paid: boolean;
  /**
   * The delivery that its event would have been: the bytes and headers that the source's adapter identifies. Null for
   * lists of deliveries that come without their bodies; a repair then asks the sender to deliver again.
   */
  receipt: { body: Buffer; headers: Record<string, string> } | null;
  /** What the sender knows its latest delivery by, where a repair is asked for by it. */
  deliveryId?: string;
};

export type SenderPage = { objects: SenderObject[] /** Null on the last page. */; next: string | null };

/** One way through the sender's records. Several may show the same thing; the first one that does decides. */
export type Listing = {
  name: string;
  /** Milliseconds that it reaches back; null: all the way. */
  reach: number | null;
};

/** An account whose list is asked for apart: base id, or null for the whole list at once. */
export type ListedAccount = string | null;

export type SenderClient = {
  listings: readonly Listing[];
  list(
    listing: string,
    account: ListedAccount,
    window: Window,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<SenderPage>;
  /** Looks things up one by one. What the sender does not know is missing from the answer. `near`: when we heard of them. */
  find(
    subjects: readonly string[],
    account: ListedAccount,
    near: Window,
    signal: AbortSignal,
  ): Promise<Map<string, SenderObject>>;
  /** Asks the sender to deliver once more. */
  redeliver?(deliveryId: string, signal: AbortSignal): Promise<void>;
};

export type ClientOptions = {
  credentials: Credentials;
  /** Private addresses and plain http that may be called all the same (OUTBOUND_ALLOW). */
  allow: Allowances;
  /** The complete contract of a contract-driven kind, else null. */
  contract: unknown;
  /** The source's settings that decide how far back an invoice may have been created before it was paid. Days. */
  lookbackDays: number;
};

/** How a kind of sender is asked for what never arrived. One file each, one line in index.ts. */
export type Recovery = {
  kind: SourceKind;
  /** `objects` are compared with entries as well, `deliveries` with receipts alone. */
  lists: "objects" | "deliveries";
  /** The sender can be asked to deliver again. */
  canRedeliver: boolean;
  /** Each account has a list of its own; else one list covers all. */
  perAccount: boolean;
  /** Null when the URL can serve as base URL, else why not (one sentence). */
  checkBaseUrl(baseUrl: string | null): string | null;
  /** The mode that the key is for; null: both, or no such thing. */
  modeOf(apiKey: string): Mode | null;
  open(options: ClientOptions): SenderClient;
};
