import { z } from "zod";
import { INBOX_STATUSES, MODES, SOURCE_KINDS } from "#db/states.ts";
import { isCleanId } from "#lib/json.ts";

/** The fields that requests and answers share. Texts are trimmed here, once, and nowhere else. */

export const sourceId = z
  .string()
  .trim()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: "1 to 63 of a-z, 0-9 and -, not beginning with -" })
  .meta({ description: "Id of a source; part of its webhook URL." });

export const destinationId = z
  .string()
  .trim()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: "1 to 63 of a-z, 0-9 and -, not beginning with -" })
  .meta({ description: "Id of a destination." });

const cleanId = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .refine(isCleanId, { error: "no control characters or broken Unicode" });

export const accountId = cleanId.meta({
  description: "The sender's account id, with ~test appended in test mode.",
});
export const tenantId = cleanId.meta({
  description: "Id of a tenant; it comes into being when first named.",
});
export const workspaceId = cleanId.meta({ description: "Id of a workspace." });
export const customerId = cleanId.meta({ description: "The sender's id of a customer." });
export const invoiceId = cleanId.meta({ description: "The sender's id of an invoice." });
export const eventUuid = z
  .guid()
  .meta({ description: "Counterfoil's id of an inbox event, as the receiver answered it." });

export const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), { error: "one line of text" });

export const reason = z
  .string()
  .trim()
  .min(1, { error: "say why" })
  .max(1000)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), { error: "no NUL or broken Unicode" })
  .meta({ description: "Why; kept in the audit log." });

export const kind = z.enum(SOURCE_KINDS);
export const mode = z.enum(MODES);
export const inboxStatus = z.enum(INBOX_STATUSES);

export const time = z.string().meta({ description: "ISO 8601 with microseconds.", format: "date-time" });
export const instant = z.iso.datetime({ offset: true, error: "a time like 2026-03-03T10:00:00Z" });
export const integer = z
  .union([z.int(), z.string().regex(/^-?\d+$/)])
  .meta({ description: "A number; digits as text where a double could not hold it." });

export const nothing = z.strictObject({});

/** Query parameters of every list. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(500).optional().meta({ description: "nextCursor of the page before." }),
};

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().meta({ description: "For the next page; null on the last one." }),
  });
