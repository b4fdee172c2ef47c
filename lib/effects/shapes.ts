import { z } from "zod";
import { isCleanId, type JsonValue } from "#lib/json.ts";
import { minorUnits } from "./amounts.ts";
import type { Reading } from "./types.ts";

/** Pieces that the senders' shapes share. */

/** Also words that end up in a sentence: PostgreSQL keeps neither NUL nor a lone surrogate. */
export const id = z.string().refine(isCleanId);
/** A reference: an id, or the object that it was expanded to. */
export const reference = z.union([id, z.object({ id }).transform((object) => object.id)]);
/** Three letters in any case; lower case from here on. */
export const currency = z
  .string()
  .regex(/^[a-zA-Z]{3}$/)
  .transform((code) => code.toLowerCase());
/** Minor units: a whole number that nothing rounded. Strings, fractions and absent amounts are for a person. */
export const amount = z
  .union([z.int(), z.bigint()])
  .transform(BigInt)
  .refine((value) => minorUnits(value) !== null);

/** Reads a payload by a schema; a payload of another shape is said to be so by its paths, never by its values. */
export function readShape<Output>(
  schema: z.ZodType<Output>,
  payload: JsonValue,
  what: string,
): Reading<Output> {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return { ok: true, input: parsed.data };
  const paths = [...new Set(parsed.error.issues.map((issue) => issue.path.join(".")))];
  return { ok: false, why: `the ${what} does not have the expected shape at ${paths.join(", ")}` };
}
