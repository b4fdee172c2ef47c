import type { Channel, Policy } from "#db/states.ts";

/** A message as its dispatcher holds it, with what is needed of its destination. Times are text from the database. */
export type LeasedMessage = {
  id: string;
  /** Whoever has it holds the message; a settlement with another one finds nothing. */
  token: string;
  operationKey: string;
  subject: string;
  channel: Channel;
  /** An address, where the message goes through the built-in e-mail; else the destination's id. */
  destination: string;
  destinationId: string;
  content: unknown;
  event: string | null;
  traceparent: string | null;
  attempts: number;
  /** Some attempt may have arrived. */
  ambiguous: boolean;
  createdAt: string;
  firstCallAt: string | null;
  claimedAt: string;
  policy: Policy;
  url: string | null;
  recipient: string | null;
  secretCiphertext: Buffer | null;
  secretKeyId: string | null;
  /** The one message with which a destination that failed as a whole is tried. */
  probe: boolean;
};

export const BUILT_IN_EMAIL = "email";
