import { v7 as uuidv7 } from "uuid";
import type { Channel } from "#db/states.ts";
import { channelOf } from "#lib/channels/index.ts";
import type { Notice } from "#lib/channels/notice.ts";
import type { Executor } from "#lib/executor.ts";
import type { NewMessage } from "./insert-messages.ts";

/** A destination that wants to hear of topics: of one tenant, or of all where that is null. */
export type Subscription = { id: string; channel: Channel; topics: string[]; tenant: string | null };

/** What a message is about, for its operation key; `tenant` is whose it is. */
export type Origin = {
  source: string;
  account: string;
  subject: string;
  operation: string;
  purpose: string;
  tenant: string | null;
  /** uuid of the inbox event; null where none led to it. */
  event: string | null;
};

/** Destinations that subscribe to anything. Paused ones too: their messages wait for them. */
export async function loadSubscriptions(sql: Executor): Promise<Subscription[]> {
  const rows = await sql.unsafe<Subscription[]>(SUBSCRIPTIONS, [], { prepare: true });
  return [...rows];
}

const SUBSCRIPTIONS = `
select id, channel, topics, tenant_id as tenant from destinations
where topics <> '{}' and status <> 'disabled' order by id`;

/** One message per subscribed destination, rendered and frozen. Pure but for the messages' fresh ids. */
export function addressed(
  origin: Origin,
  notice: Notice,
  subscriptions: readonly Subscription[],
): NewMessage[] {
  const { source, account, subject, operation, purpose, tenant } = origin;
  return subscriptions
    .filter((to) => to.topics.includes(notice.topic) && (to.tenant === null || to.tenant === tenant))
    .map((to) => ({
      ...origin,
      id: uuidv7(),
      key: JSON.stringify([source, account, subject, operation, purpose, to.id]),
      topic: notice.topic,
      channel: to.channel,
      destination: to.id,
      destinationId: to.id,
      content: renderFor(to.channel, notice),
    }));
}

/** What is sent. A rendering that failed is kept as such: the dispatcher sets the message apart with this evidence. */
export function renderFor(channel: Channel, notice: Notice): Record<string, string> {
  const rendering = channelOf(channel).render(notice);
  return rendering.ok ? rendering.content : { unrendered: rendering.why };
}
