import { z } from "zod";

/** How a source is set up (column sources.settings). Credits are whole numbers; days and bytes as named. */
export const sourceSettings = z.strictObject({
  /** Credits that one paid invoice grants. */
  credits: z.int().min(1).max(1_000_000_000).default(100),
  /** Credits by price id where they differ: each invoice line with such a price grants these, instead of `credits`. */
  creditsByPrice: z.record(z.string().min(1).max(255), z.int().min(1).max(1_000_000_000)).default({}),
  /** Billing reasons that entitle; null means every known one. */
  billingReasons: z.array(z.string().min(1).max(64)).nullable().default(null),
  /** Currencies that entitle, lower-case ISO codes; null means any. */
  currencies: z
    .array(z.string().regex(/^[a-z]{3}$/))
    .nullable()
    .default(null),
  /** How a payments sender writes amounts: whole minor units, or decimals of the major unit as text. */
  amounts: z.enum(["minor", "decimal"]).default("minor"),
  /** Whether a reversal may take a balance below zero; `floor` takes what is there and records the rest. */
  negativeBalances: z.enum(["allow", "floor"]).default("allow"),
  /** Days that bodies are kept. */
  retentionDays: z.int().min(1).max(3650).default(30),
  /** Largest body accepted, bytes; null means MAX_BODY_BYTES. */
  maxBodyBytes: z.int().min(1024).max(26_214_400).nullable().default(null),
  /** Effects happen in the transaction of the request, before the sender hears 200; what does not is left to a worker. */
  inline: z.boolean().default(false),
  /** Comparing the sender's list with what is here, for kinds whose sender has one and where credentials are set. */
  reconcile: z
    .strictObject({
      /** Minutes between two sweeps; null: only when somebody asks. */
      everyMinutes: z
        .int()
        .min(5)
        .max(7 * 1440)
        .nullable()
        .default(60),
      /** What a sweep looks at again of the time before it, for lists that show things late. */
      overlapMinutes: z
        .int()
        .min(0)
        .max(30 * 1440)
        .default(360),
      /** Whether a sweep repairs what it can. */
      repair: z.boolean().default(true),
      /** Days that an invoice may be older than its payment, where the sender lists by the former. */
      lookbackDays: z.int().min(0).max(365).default(35),
    })
    .prefault({}),
});

export type SourceSettings = z.infer<typeof sourceSettings>;
