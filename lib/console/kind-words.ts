import type { SourceKind } from "#db/states.ts";

/** Kinds that somebody can send to, in the order in which a form offers them. */
export const SENDER_KINDS = ["stripe", "github", "standard-webhooks", "payments", "sinalio", "hmac"] as const;
export type SenderKind = (typeof SENDER_KINDS)[number];

export type KindWords = {
  name: string;
  /** How a delivery is verified, in a line. */
  verification: string;
  /** What a signing secret looks like and where it is found. */
  secret: string;
  account: string;
  /** What to put into the contract; null for kinds without one. */
  contract: string | null;
};

export const KIND_WORDS: Record<SourceKind, KindWords> = {
  stripe: {
    name: "Stripe",
    verification: "Stripe-Signature, v1: HMAC-SHA-256 over time and body, 300 s either way",
    secret: "Begins with whsec_; on the endpoint’s page in Stripe’s dashboard.",
    account: "Your own account, acct_…; events of connected accounts name theirs.",
    contract: null,
  },
  github: {
    name: "GitHub",
    verification: "X-Hub-Signature-256: HMAC-SHA-256 over the body; no time and no delivery id is signed",
    secret: "The secret that you enter with the webhook; 16 characters or more.",
    account: "The id of the organization or owner, a number.",
    contract: null,
  },
  "standard-webhooks": {
    name: "Standard Webhooks",
    verification: "webhook-signature, v1: HMAC-SHA-256 over id, time and body, 300 s either way",
    secret: "whsec_ and 24 to 64 bytes in base64.",
    account: "A name of yours: the standard has no accounts.",
    contract: null,
  },
  payments: {
    name: "Payments",
    verification: "As its contract says.",
    secret: "As the sender shows it; 16 characters or more.",
    account: "Your merchant id.",
    contract: "Only what differs from the preset; empty is the preset.",
  },
  sinalio: {
    name: "Sinalio",
    verification: "As its contract says, once that is known.",
    secret: "As the sender shows it; it may come later.",
    account: "The project.",
    contract: "What is known so far; empty is nothing, and then requests can be captured.",
  },
  hmac: {
    name: "HMAC, any sender",
    verification: "As its contract says.",
    secret: "As the contract says it is written; 16 bytes or more.",
    account: "A name of yours, or the sender’s account id where its events carry one.",
    contract: "A complete contract: verification and event are needed.",
  },
  manual: {
    name: "Manual",
    verification: "Built in: nobody can send to it.",
    secret: "none",
    account: "none",
    contract: null,
  },
};
