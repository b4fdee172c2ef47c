import { z } from "zod";
import { isCleanId } from "#lib/json.ts";
import type { EffectEvent, Reading } from "./types.ts";

/** What the grant needs of a Stripe invoice, read alike from every API version. Amounts are minor units. */
export type PaidInvoice = {
  invoice: string;
  customer: string;
  status: string;
  amountPaid: bigint;
  currency: string;
  billingReason: string | null;
  priceIds: string[];
  /** The event carries only some of the lines. */
  hasMoreLines: boolean;
};

/** Also words that end up in a sentence: PostgreSQL keeps neither NUL nor a lone surrogate. */
const id = z.string().refine(isCleanId);
/** A reference: an id, or the object that it was expanded to. */
const reference = z.union([id, z.object({ id }).transform((object) => object.id)]);
/** Minor units: a whole number that nothing rounded. Strings, fractions and absent amounts are for a person. */
const amount = z
  .union([z.int(), z.bigint()])
  .transform(BigInt)
  .refine((value) => value >= 0n && value < 2n ** 62n);

const line = z.object({
  price: z.object({ id }).nullish(),
  plan: z.object({ id }).nullish(),
  pricing: z.object({ price_details: z.object({ price: reference.nullish() }).nullish() }).nullish(),
});

const invoice = z.object({
  id,
  object: z.literal("invoice"),
  customer: reference,
  status: id.nullish(),
  /** Versions before 2019 said this instead of a status. */
  paid: z.boolean().nullish(),
  amount_paid: amount,
  total: z.union([amount, z.int().transform(BigInt)]).nullish(),
  paid_out_of_band: z.boolean().nullish(),
  currency: z.string().regex(/^[a-zA-Z]{3}$/),
  billing_reason: id.nullish(),
  lines: z.object({ data: z.array(line), has_more: z.boolean().nullish() }).nullish(),
});

const event = z.object({ data: z.object({ object: invoice }) });

export function readPaidInvoice({ payload }: EffectEvent): Reading<PaidInvoice> {
  const parsed = event.safeParse(payload);
  if (!parsed.success) {
    const paths = [...new Set(parsed.error.issues.map((issue) => issue.path.join(".")))];
    return { ok: false, why: `the invoice does not have the expected shape at ${paths.join(", ")}` };
  }
  const { object } = parsed.data.data;
  return {
    ok: true,
    input: {
      invoice: object.id,
      customer: object.customer,
      status: object.status ?? (object.paid ? "paid" : "open"),
      amountPaid: amountReceived(object),
      currency: object.currency.toLowerCase(),
      billingReason: object.billing_reason ?? null,
      priceIds: (object.lines?.data ?? []).flatMap((entry) => priceOf(entry) ?? []),
      hasMoreLines: object.lines?.has_more === true,
    },
  };
}

/** An invoice marked as paid outside Stripe may show nothing as paid through it; its total was received all the same. */
function amountReceived(object: z.infer<typeof invoice>): bigint {
  if (object.amount_paid === 0n && object.paid_out_of_band && object.total && object.total > 0n)
    return object.total;
  return object.amount_paid;
}

function priceOf(entry: z.infer<typeof line>): string | null {
  return entry.pricing?.price_details?.price ?? entry.price?.id ?? entry.plan?.id ?? null;
}
