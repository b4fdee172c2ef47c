import { createContractAdapter } from "./contract-adapter.ts";
import { contractSchema } from "./contract-schema.ts";

/**
 * What a payments source is unless its own contract says otherwise (any member can be overridden).
 * Signature: X-Payments-Signature, hex HMAC-SHA256 of `{timestamp}.{body}`, with X-Payments-Timestamp in seconds,
 * made anew for each attempt: the sender retries for 72 h, and a timestamp per event would have to stay good as long.
 * One transaction has several events, so `eventId` is the key and `transactionId` the subject (CASES I11).
 */
export const paymentsPreset = contractSchema.parse({
  version: 1,
  verification: {
    signature: { header: "x-payments-signature", algorithm: "sha256", encoding: "hex" },
    signedContent: "{timestamp}.{body}",
    timestamp: {
      kind: "per-attempt",
      from: { header: "x-payments-timestamp" },
      unit: "s",
      toleranceSeconds: 300,
    },
  },
  event: {
    id: { path: "eventId" },
    type: { path: ["type", "eventType"] },
    account: { path: ["merchantId", "data.merchantId"] },
    subject: ["transactionId", "data.transactionId"],
    // Not the whole body: an attempt counter or a delivery time may change from one attempt to the next.
    identityPaths: [
      ["transactionId", "data.transactionId"],
      ["amount", "data.amount"],
      ["currency", "data.currency"],
      ["status", "data.status"],
    ],
  },
  types: {
    TRANSACTION_SUCCEEDED: { meaning: "A transaction was paid.", effect: "initial-credit-grant" },
    TRANSACTION_FAILED: { meaning: "A transaction failed.", effect: "transaction-state" },
    TRANSACTION_REFUNDED: {
      meaning: "Money of a transaction was given back, in part or in full.",
      effect: "credit-reversal",
    },
    CHECKOUT_SESSION_PAID: {
      meaning: "A checkout was paid; links it, grants nothing.",
      effect: "initial-credit-grant",
    },
  },
  delivery: { timeoutSeconds: 10, retryWindowHours: 72, replay: { by: "api", windowHours: null } },
});

export const payments = createContractAdapter({
  kind: "payments",
  preset: paymentsPreset,
  hasChecklist: false,
});
