import { toIsoTime } from "#lib/api/iso-time.ts";
import { eventHref, invoiceHref } from "#lib/console/links.ts";
import { env } from "#lib/env.ts";
import { addressed, type Subscription } from "#lib/outbox/fan-out.ts";
import { type Intent, intentsOf, type OutgoingRow } from "./outgoing.ts";
import type { Settled } from "./write-settlements.ts";

/**
 * What the subscribers of topics are told of a batch: one message per intent and destination, rendered and frozen. They
 * are written in the transaction of their effects, as the confirmations are.
 */
export function subscribedRows(
  batch: readonly Settled[],
  alertIds: ReadonlyMap<string, string>,
  subscriptions: readonly Subscription[],
): OutgoingRow[] {
  if (subscriptions.length === 0) return [];
  const claimedAt = new Map(batch.map(({ row }) => [row.id, row.claimedAt]));
  return intentsOf(batch, alertIds).flatMap((intent) => {
    const notice = {
      ...intent.notice,
      at: toIsoTime(claimedAt.get(intent.event)!),
      link: `${env().PUBLIC_URL}${pageOf(intent)}`,
    };
    return addressed(intent, notice, subscriptions).map((message) => ({
      id: message.id,
      k: message.key,
      e: intent.event,
      s: message.source,
      a: message.account,
      u: message.subject,
      o: message.operation,
      t: message.topic,
      c: message.channel,
      d: message.destination,
      di: message.destinationId,
      x: message.content,
    }));
  });
}

function pageOf({ notice, source, account, event }: Intent): string {
  if (notice.topic === "credit.granted" || notice.topic === "credit.reversed")
    return invoiceHref({ sourceId: source, account, subject: notice.data.invoice });
  return eventHref(event);
}
