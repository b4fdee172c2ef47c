import fc from "fast-check";

/** Invoices of one schedule; the last one's customer is linked by a step of its own, or at the end. */
export const INVOICES = 4;
export const LATE = INVOICES - 1;

export type Step =
  | { do: "paid"; invoice: number; type: "invoice.paid" | "invoice.payment_succeeded" }
  /** So many tenths of the payment have gone back in all. */
  | { do: "refunded"; invoice: number; tenths: number }
  /** One of the deliveries so far, once more. */
  | { do: "again"; nth: number }
  | { do: "replay"; nth: number }
  | { do: "work"; limit: number; workers: number }
  /** A worker is cut off after so many milliseconds, wherever it is. */
  | { do: "crash"; limit: number; after: number }
  | { do: "link" }
  | { do: "pause" }
  | { do: "resume" };

const invoice = fc.nat(INVOICES - 1);

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("paid" as const),
        invoice,
        type: fc.constantFrom("invoice.paid" as const, "invoice.payment_succeeded" as const),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("refunded" as const),
        invoice,
        tenths: fc.integer({ min: 1, max: 10 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("again" as const), nth: fc.nat(100) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("replay" as const), nth: fc.nat(100) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("work" as const),
        limit: fc.integer({ min: 1, max: 5 }),
        workers: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("crash" as const),
        limit: fc.integer({ min: 1, max: 5 }),
        after: fc.nat(12),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constantFrom("link" as const, "pause" as const, "resume" as const) }),
    },
  ) as fc.Arbitrary<Step>,
  { minLength: 4, maxLength: 24 },
);

/** The small model: what the workspace must hold when everything has been worked off, in whatever order. */
export function expectedBalance(schedule: readonly Step[]): bigint {
  let credits = 0;
  for (let number = 0; number < INVOICES; number++) {
    const isPaid = schedule.some((step) => step.do === "paid" && step.invoice === number);
    const back = schedule.flatMap((step) =>
      step.do === "refunded" && step.invoice === number ? [step.tenths] : [],
    );
    if (isPaid) credits += 100 - 10 * Math.max(0, ...back);
  }
  return BigInt(credits);
}
