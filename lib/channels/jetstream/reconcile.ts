import { DeliverPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { OutgoingMessage, ReconcileAnswer } from "../types.ts";

/** Headers that are looked through at most: a busier stream needs a person. */
const MOST = 20_000;
/** Milliseconds between our clock and the server's, at most. */
const SKEW = 60_000;

/**
 * Looks through the stream's messages since the message was made, for its Nats-Msg-Id. Absent is only said where the stream
 * still has everything of that time. Never rejects.
 */
export async function findInStream(
  connection: NatsConnection,
  subject: string,
  message: Pick<OutgoingMessage, "id" | "createdAt">,
  signal: AbortSignal,
): Promise<ReconcileAnswer> {
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const name = await manager.streams.find(subject);
    const { config, state } = await manager.streams.info(name);
    const since = new Date(message.createdAt.getTime() - SKEW);
    const consumer = await jetstream(connection).consumers.get(name, {
      filter_subjects: subject,
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: since.toISOString(),
      headers_only: true,
    });
    let left = (await consumer.info()).num_pending;
    if (left > MOST) return cannotTell(`the stream ${name} has more than ${MOST} messages since then`);
    while (left > 0) {
      if (signal.aborted) return cannotTell(`the stream ${name} could not be looked through in time`);
      const batch = await consumer.fetch({ max_messages: Math.min(left, 500), expires: 5_000 });
      let got = 0;
      for await (const found of batch) {
        got++;
        if (found.headers?.get("Nats-Msg-Id") === message.id)
          return { kind: "arrived", why: `the stream ${name} has it as number ${found.seq}` };
      }
      if (got === 0) return cannotTell(`the stream ${name} stopped before its end`);
      left -= got;
    }
    const keepsAll = config.retention === "limits" && config.max_msgs_per_subject <= 0 && !state.num_deleted;
    const reachesBack = state.first_seq <= 1 || new Date(state.first_ts).getTime() < since.getTime();
    if (!keepsAll || !reachesBack)
      return cannotTell(`the stream ${name} does not have it, and has not kept everything since then`);
    return {
      kind: "absent",
      why: `the stream ${name} has all messages since then, and this is not among them`,
    };
  } catch (error) {
    return cannotTell(`the stream could not be asked (${(error as Error)?.name ?? "unknown error"})`);
  }
}

const cannotTell = (why: string): ReconcileAnswer => ({ kind: "cannot_tell", why });
