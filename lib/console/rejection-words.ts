import type { RejectionReason } from "#db/states.ts";

/** A reason in words: what happened, and what to do about it. */
export const REJECTION_WORDS: Record<RejectionReason, { word: string; advice: string }> = {
  unknown_source: {
    word: "no such source",
    advice:
      "Nobody has set up a source of this name. Compare the address at the sender with the source’s page; names that nobody chose are scanners.",
  },
  no_usable_secret: {
    word: "nothing to verify with",
    advice:
      "The source has no usable secret, or its contract does not say yet how to verify. Senders got 503 and come back.",
  },
  signature_missing: {
    word: "signature missing",
    advice:
      "The header of the signature was not there: not from this sender, or something on the way took it out.",
  },
  signature_malformed: {
    word: "signature malformed",
    advice:
      "The header was there, and not in the sender’s form. Look whether the source is of the right kind, or its contract of the right version.",
  },
  signature_mismatch: {
    word: "wrong signature",
    advice:
      "Signed with another secret, or the bytes were changed on the way. If the sender’s secret was rotated, add it here; if a proxy rewrites bodies, stop it.",
  },
  timestamp_stale: {
    word: "stale timestamp",
    advice:
      "The signature was right, the time in it was not. A skew of a few minutes is a clock; one of hours is a repeated old request.",
  },
  body_too_large: {
    word: "body too large",
    advice: "Above the source’s limit. Raise maxBodyBytes in its settings if this sender sends such bodies.",
  },
  body_truncated: {
    word: "body cut short",
    advice:
      "The connection ended before the announced length. The sender tries again; if it never arrives whole, look at what stands between.",
  },
  unsupported_encoding: {
    word: "encoded body",
    advice:
      "A Content-Encoding other than identity. Switch compression off at the sender: the signature covers plain bytes.",
  },
  method_not_allowed: {
    word: "not a POST",
    advice: "Somebody opened the address in a browser, or a monitor asks for it. Senders use POST.",
  },
  overloaded: {
    word: "too much at once",
    advice:
      "More came than could be stored in time. Senders got 503 and come back; if it lasts, look at the database.",
  },
};
