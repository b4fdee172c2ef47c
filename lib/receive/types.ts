import type { Mode, ReceiptOrigin, RejectionReason } from "#db/states.ts";
import type { TraceContext } from "#lib/telemetry/trace-context.ts";

/** One HTTP request at the receiver, whichever server it came through. */
export type ReceiveRequest = {
  /** Upper case. */
  method: string;
  /** The {source} of /api/webhooks/{source}, percent-decoded. */
  source: string;
  /** Value of a header by its lower-case name; null when absent. Repeated headers are joined with ", ". */
  header(name: string): string | null;
  /** Every header by lower-case name; for a capture alone. */
  allHeaders(): Record<string, string>;
  /** Without "?"; for a sender's GET challenge. */
  query: string;
  /** The body as it arrives. Ends early, or throws, when the sender hangs up. Null for a request without one. */
  body: AsyncIterable<Uint8Array> | null;
  /** For the rejection log alone; never for a decision. */
  remoteAddress: string | null;
};

export type ReceiveResponse = { status: number; headers: Record<string, string>; body: string };

/** An authentic delivery, identified and judged, as the group commit stores it. Pure data. */
export type Receipt = {
  sourceId: string;
  account: string;
  eventId: string;
  type: string;
  mode: Mode;
  subject: string | null;
  apiVersion: string | null;
  /** SHA-256 of the identity that makes two deliveries of one event key consistent. */
  contentDigest: Buffer;
  bodyDigest: Buffer;
  body: Buffer;
  /** Allow-listed request headers by lower-case name. */
  headers: Record<string, string>;
  /** Null for one that no signature came with: put in by a reconciliation. */
  secretFingerprint: string | null;
  /** Where this delivery stands in its trace, and what the sender's traceparent header named. */
  trace: TraceContext;
  parentTrace: TraceContext | null;
  origin: ReceiptOrigin;
  retentionDays: number;
  /** Nothing signed covers the event id: the same bytes under another id are a suspected replay. */
  guardsBody: boolean;
  state:
    | { status: "pending" }
    | { status: "waiting"; waitsKind: "account" | "contract"; waitsKey: string; why: string }
    | { status: "ignored"; why: string }
    | { status: "quarantined"; why: string };
};

/** What storing a receipt came to. `event` is the row's uuid: the first one's for duplicates and conflicts. */
export type Stored = { result: "accepted" | "duplicate" | "ignored" | "quarantined"; event: string };

export type Rejection = {
  sourceId: string;
  reason: RejectionReason;
  detail?: string;
  remoteAddress: string | null;
  bytes: number | null;
};
