import type { Sql } from "#db/client.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import type { Actor } from "#lib/access/actor.ts";
import { releaseByPayment } from "#lib/inbox/release.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { writeAudit } from "./audit.ts";

export type PaymentLink = { source: string; account: string; payment: string; invoice: string };

export type PaymentLinkResult = {
  created: boolean;
  /** Events that waited to be told and are due now. */
  released: number;
};

/**
 * Says which invoice a payment paid, where the sender does not, and arms what waited for that. A payment leads to one
 * invoice: another one is refused. The same request again changes nothing.
 */
export async function putPaymentLink(
  sql: Sql,
  actor: Actor,
  { source, account, payment, invoice }: PaymentLink,
): Promise<Outcome<PaymentLinkResult>> {
  return (await repeatOnConflict(() =>
    sql.begin(async (tx) => {
      // Held against each other, so that two people cannot link one payment to two invoices at once.
      const [known] = await tx`
        select from source_accounts where source_id = ${source} and account = ${account} for no key update`;
      if (!known) return refuse("unacceptable", `Source ${source} has no account ${account}.`);
      const [other] = await tx<{ invoice: string }[]>`
        select invoice from payment_links where source_id = ${source} and account = ${account}
          and payment = ${payment} and invoice <> ${invoice} limit 1`;
      if (other) return refuse("conflict", `Payment ${payment} is linked to invoice ${other.invoice}.`);
      const { count } = await tx`
        insert into payment_links (source_id, account, payment, invoice)
        values (${source}, ${account}, ${payment}, ${invoice}) on conflict do nothing`;
      if (count === 1) {
        const target = `payment-link:${JSON.stringify([source, account, payment])}`;
        await writeAudit(tx, actor, {
          action: "payment-link.create",
          target,
          before: null,
          after: { invoice },
        });
      }
      const released = await releaseByPayment(tx, { sourceId: source, account, payment });
      return succeed({ created: count === 1, released });
    }),
  )) as Outcome<PaymentLinkResult>;
}
