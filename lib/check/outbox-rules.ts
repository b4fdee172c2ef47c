import type { Rule } from "./check.ts";

const MESSAGE = "message.id::text as message, message.destination, message.status";

/** What is sent, and what is known of it. */
export const OUTBOX_RULES: readonly Rule[] = [
  {
    name: "outbox_state_fits_columns",
    rule: "An outbox message has exactly the columns that its state calls for.",
    // What the CHECK constraints say, said again: a constraint may be missing or not yet validated.
    query: `
      select ${MESSAGE} from outbox_messages message where
        (message.status = 'pending') <> (message.next_attempt_at is not null)
        or (message.status in ('sent', 'rejected', 'abandoned', 'cancelled')) <> (message.finished_at is not null)
        or (message.status = 'sending') <> (message.lease_until is not null)
        or (message.status = 'sending' and message.lease_token is null)
        or (message.status <> 'sending' and message.call_started_at is not null)
        or (message.forced and message.status not in ('pending', 'sending', 'unknown'))
        or message.attempts < 0 or message.crashes < 0`,
  },
  {
    name: "one_message_per_operation",
    rule: "An operation has one message per purpose and destination.",
    query: `
      select operation_key, count(*)::int as messages from outbox_messages group by 1 having count(*) > 1`,
  },
  {
    name: "sent_was_accepted",
    rule: "A message that is sent was accepted in one of its attempts, or a person said that it was.",
    query: `
      select ${MESSAGE} from outbox_messages message
      where message.status = 'sent' and not exists (
        select from outbox_attempts attempt
        where attempt.message_id = message.id and attempt.result in ('accepted', 'sent'))`,
  },
  {
    name: "accepted_is_sent",
    rule: "A message that was accepted in an attempt of its own lease is sent.",
    query: `
      select ${MESSAGE} from outbox_messages message
      where message.status <> 'sent' and exists (
        select from outbox_attempts attempt
        where attempt.message_id = message.id and attempt.kind in ('call', 'check') and attempt.result = 'accepted')`,
  },
  {
    name: "unknown_may_have_arrived",
    rule: "A message is unknown only after an attempt of which nobody knows.",
    query: `
      select ${MESSAGE} from outbox_messages message
      where message.status = 'unknown' and not message.ambiguous`,
  },
  {
    name: "sending_within_lease",
    rule: "Nothing is being sent beyond its lease; what expires is taken back within a minute.",
    query: `
      select ${MESSAGE}, message.lease_until::text as lease_until from outbox_messages message
      where message.status = 'sending' and message.lease_until < now() - interval '1 minute'`,
  },
  {
    name: "abandoned_after_window",
    rule: "A message is given up only when its window is over, and none waits for an attempt outside of it.",
    query: `
      select ${MESSAGE}, message.deadline_at::text as deadline from outbox_messages message
      where (message.status = 'abandoned' and message.finished_at < message.deadline_at)
        or (message.status = 'pending' and not message.forced and message.next_attempt_at > message.deadline_at
          and message.attempts > 0)`,
  },
  {
    name: "message_has_destination",
    rule: "Every message goes through a destination that exists, on its channel.",
    query: `
      select ${MESSAGE}, message.destination_id, message.channel from outbox_messages message
      left join destinations destination on destination.id = message.destination_id
      where destination.id is null or destination.channel <> message.channel`,
  },
];
