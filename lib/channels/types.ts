import type { Channel as ChannelName, Policy } from "#db/states.ts";
import type { Env } from "#lib/env.ts";
import type { Outbound } from "#lib/outbound/types.ts";
import type { Notice } from "./notice.ts";

/** A destination as its channel needs it: addresses in the clear, the secret decrypted. */
export type Target = {
  /** slack, webhook: where to post. nats: the server, for example tls://nats.example.com. */
  url: string | null;
  /** email: the address. nats: the subject. */
  to: string | null;
  /** webhook: the signing secret (whsec_…). nats: token, user:password or a credentials file's text. */
  secret: string | null;
};

/** What was rendered at the intent and never changes: plain JSON in the channel's own shape (`readContent`). */
export type Content = { [key: string]: string };

/** `why` is one sentence without payload text. A message that cannot be rendered is parked, not retried. */
export type Rendering = { ok: true; content: Content } | { ok: false; why: string };

export type OutgoingMessage = {
  /** uuid of the outbox row: webhook-id, Nats-Msg-Id and Message-ID come from it, whatever the attempt. */
  id: string;
  content: unknown;
  createdAt: Date;
  /** The database's present time: what is fresh per attempt is made from it. */
  now: Date;
  /** 1 for the first attempt. */
  attempt: number;
};

export type Call = {
  /** The one deadline over the whole call, and the worker's stop. */
  signal: AbortSignal;
  /** The only way out: checks every address at connect time. */
  outbound: Outbound;
  /** The destination's policy: with `review` or `reconcile`, an ambiguous webhook attempt is unknown, not failed. */
  policy: Policy;
  env: ChannelEnv;
};

export type ChannelEnv = Pick<Env, "SMTP_URL" | "EMAIL_FROM" | "PUBLIC_URL">;

/** What is known of an attempt, for the row in outbox_attempts. */
export type Evidence = {
  /** Whether any byte of the message may have reached the destination. */
  bytesLeft: boolean;
  /** HTTP status or SMTP reply code; null when no answer came. */
  status: number | null;
  /** First 4 KB of the answer as text, storable as it is; null when no answer came. */
  responseBody: string | null;
  latencyMs: number;
};

/** Groups attempts that failed alike; `why` is the sentence for people. */
export type FailureCode =
  | "not_configured" // this installation lacks a setting
  | "bad_target" // the destination's url, address or secret cannot be used
  | "bad_content" // the frozen content has not the channel's shape
  | "blocked_address" // the name leads to an address that outgoing calls may not reach
  | "dns"
  | "refused" // no connection: refused, unreachable, reset before anything was written
  | "tls"
  | "connect_timeout"
  | "timeout" // written, no answer within the deadline
  | "reset" // written, the connection ended without an answer
  | "redirect"
  | "status" // an answer that is no acknowledgement
  | "throttled"
  | "gone"
  | "unauthorized";

/**
 * The closed set of CONTRACT §8.
 *
 * accepted  the destination has it: sent.
 * retry     not taken, or (webhook) a failed attempt of an at-least-once delivery. `after` is what the destination asked
 *           for, in seconds within bounds, else null: the schedule decides. `blame` says what is at fault:
 *             message      this message's attempt counts
 *             destination  whatever goes there now would fail too: hold the destination, count nothing
 *             setup        nothing was tried because this installation lacks a setting: wait, count nothing
 *           `disables`: the destination said that it is gone (410): nothing more goes there until a person says so.
 * rejected  no for good, for this message.
 * unknown   the message may have arrived: the destination's policy decides.
 */
export type SendOutcome = Evidence &
  (
    | { kind: "accepted"; why: string }
    | {
        kind: "retry";
        why: string;
        code: FailureCode;
        blame: "message" | "destination" | "setup";
        after: number | null;
        disables: boolean;
      }
    | { kind: "rejected"; why: string; code: FailureCode }
    | { kind: "unknown"; why: string; code: FailureCode }
  );

/** What the destination's own records say about a message. `absent` means that a resend makes no second one. */
export type ReconcileAnswer = { kind: "arrived" | "absent" | "cannot_tell"; why: string };

/** One way out. No database and no transaction: data in, data out. One file each, one line in index.ts. */
export type Channel = {
  name: ChannelName;
  /** How its messages are called where people read: "e-mail", "Slack message", … */
  label: string;
  /** The policies that make sense for it; the first is the default. */
  policies: readonly [Policy, ...Policy[]];
  /** With `idempotent`: how long the destination remembers a key, in seconds; null where nothing says so. */
  keyLifetimeSeconds: number | null;
  /** How many seconds a call may take at most. A lease must be longer. */
  timeoutSeconds: number;
  /** Null when the target can be used, else why not (one sentence without the secret). */
  checkTarget(target: Target, outbound: Pick<Outbound, "allow">): string | null;
  /** Null when this installation can send, else what is missing: messages then wait as pending. */
  missingSetup(env: ChannelEnv): string | null;
  /** Pure and deterministic, done once at the intent. Never throws. */
  render(notice: Notice): Rendering;
  /** Never throws for anything that the peer, the network or the content does. */
  send(message: OutgoingMessage, target: Target, call: Call): Promise<SendOutcome>;
  /** Asks the destination's records. Absent: it keeps none that can be asked. */
  reconcile?(message: OutgoingMessage, target: Target, call: Call): Promise<ReconcileAnswer>;
};
