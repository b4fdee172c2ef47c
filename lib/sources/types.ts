import type { Mode, RejectionReason, SourceKind } from "#db/states.ts";
import type { JsonValue } from "#lib/json.ts";

/** A usable signing secret, decrypted. `text` is what the operator entered, trimmed. */
export type Secret = { text: string; fingerprint: string };

export type HeaderReader = (lowerCaseName: string) => string | null;

/** What an adapter is given to judge a request: everything comes in, nothing is looked up. */
export type VerifyInput = {
  /** The bytes as received: the signature covers these and nothing derived from them. */
  body: Buffer;
  header: HeaderReader;
  /** Secrets that are valid now, newest first; never empty. */
  secrets: readonly Secret[];
  now: Date;
  /** The source's sender contract (contract-driven kinds), already validated; else null. */
  contract: unknown;
};

export type Verification =
  | { ok: true; secret: Secret }
  | {
      ok: false;
      reason: Extract<
        RejectionReason,
        "signature_missing" | "signature_malformed" | "signature_mismatch" | "timestamp_stale"
      >;
      /** For the rejection log, for example "skew 412 s". Never a secret, never payload. */
      detail?: string;
    };

export type IdentifyInput = {
  /** The parsed body; integers that a double cannot hold are bigint (lib/json.ts). */
  payload: JsonValue;
  header: HeaderReader;
  body: Buffer;
  contract: unknown;
};

/** What an authentic payload says it is. Ids are text exactly as sent. */
export type Identity = {
  eventId: string;
  type: string;
  /** The sender's account id without mode suffix; null means the source's own account. */
  account: string | null;
  mode: Mode;
  subject: string | null;
  apiVersion: string | null;
  /** The values that must agree between deliveries of one event key; digested by the receiver. */
  content: readonly (string | null)[];
  /** Set where nothing signed covers `eventId` under this contract; see SourceAdapter.idIsUnsigned. */
  idIsUnsigned?: boolean;
  /** Set where the event is to be kept but not processed yet, whatever its type. */
  waits?: { kind: "contract"; why: string };
};

export type Identification = { ok: true; identity: Identity } | { ok: false; why: string };

/** Whether deliveries can be taken with the contract as it stands. */
export type Readiness =
  | { state: "ready" }
  /** Nothing can be verified: the receiver answers 503. */
  | { state: "unconfigured"; why: string }
  /** Verified and kept as waiting until a person has confirmed what is `missing` (names of checklist items). */
  | { state: "unconfirmed"; missing: readonly string[] };

export type ChallengeInput = {
  /** Upper case. */
  method: string;
  /** Without "?". */
  query: string;
  /** The parsed body of a POST whose signature was verified; null for anything else. */
  payload: JsonValue | null;
  contract: unknown;
};

/** `answered: false` is a challenge that names the wrong token: to be refused like a wrong signature. */
export type ChallengeAnswer = { answered: true; contentType: string; body: string } | { answered: false };

export type ContractCheck = { ok: true; contract: unknown } | { ok: false; problems: string[] };

export type SignInput = {
  body: Buffer;
  secret: Secret;
  now: Date;
  contract: unknown;
  /** Event id, where it travels in a header. Default: one derived from the body. */
  id?: string;
  /** Event type, where it travels in a header. */
  type?: string;
};

/** One kind of sender. Pure: clock, bytes, headers and secrets come in. One file each, one line in index.ts. */
export type SourceAdapter = {
  kind: SourceKind;
  /**
   * True where the signature covers no event id: the receiver then treats the same body digest under a new id as a
   * suspected replay. Contract-driven kinds say it per event (Identity.idIsUnsigned).
   */
  idIsUnsigned?: boolean;
  /** Null when the text can serve as a signing secret of this sender, else why not (one sentence). */
  checkSecret(text: string, contract?: unknown): string | null;
  verify(input: VerifyInput): Verification;
  /** The JSON bytes inside a verified body, for senders that may wrap them. Absent: the body itself is JSON. */
  unwrap?(input: {
    body: Buffer;
    header: HeaderReader;
  }): { ok: true; json: Buffer } | { ok: false; why: string };
  identify(input: IdentifyInput): Identification;
  /** Headers that make `body` authentic: for test events, simulators and tests. */
  sign(input: SignInput): Record<string, string>;
  /** Contract-driven kinds: validates a document (null: the kind's preset) and fills its defaults. */
  checkContract?(json: unknown): ContractCheck;
  /** Whether a person must confirm the checklist of lib/sources/contract-schema.ts before events are processed. */
  hasChecklist?: boolean;
  /** Absent: always ready. */
  readiness?(contract: unknown): Readiness;
  /** Answers a sender's proof-of-ownership request; null where the request is none. */
  answerChallenge?(input: ChallengeInput): ChallengeAnswer | null;
};
