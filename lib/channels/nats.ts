import { jetstream } from "@nats-io/jetstream";
import { z } from "zod";
import { judgePublishError } from "./jetstream/judge.ts";
import { openConnection } from "./jetstream/open.ts";
import { findInStream } from "./jetstream/reconcile.ts";
import { checkTarget, subjectOf } from "./jetstream/target.ts";
import { accept, blameDestination, leaveUnknown, NOTHING_SENT, reject } from "./outcomes.ts";
import { writeForPrograms } from "./render/programs.ts";
import type { Channel, Evidence } from "./types.ts";

const content = z.strictObject({ body: z.string().min(2) });

/**
 * A JetStream subject. The stream's acknowledgement is the acceptance, and the stream drops a second message with the same
 * Nats-Msg-Id: within its duplicate window (two minutes unless it was set up otherwise) a resend is harmless. After that
 * the stream itself can be asked.
 */
export const nats: Channel = {
  name: "nats",
  label: "NATS message",
  policies: ["idempotent", "reconcile", "duplicate-ok", "review"],
  keyLifetimeSeconds: 120,
  timeoutSeconds: 15,
  checkTarget,
  missingSetup: () => null,
  render: writeForPrograms,
  async send(message, target, call) {
    const problem = checkTarget(target, call.outbound);
    if (problem) return blameDestination(NOTHING_SENT, "bad_target", problem);
    const parsed = content.safeParse(message.content);
    if (!parsed.success) return reject(NOTHING_SENT, "bad_content", "the frozen content is no NATS message");
    const begun = performance.now();
    const evidence = (bytesLeft: boolean, responseBody: string | null = null): Evidence => ({
      bytesLeft,
      status: null,
      responseBody,
      latencyMs: Math.round(performance.now() - begun),
    });
    const opened = await openConnection(target, call);
    if (!opened.ok) return blameDestination(evidence(false), opened.code, opened.why);
    const { connection } = opened;
    const stopped = Promise.withResolvers<null>();
    const stop = () => stopped.resolve(null);
    call.signal.addEventListener("abort", stop, { once: true });
    try {
      if (call.signal.aborted)
        return blameDestination(evidence(false), "connect_timeout", "no connection was made in time");
      const published = jetstream(connection).publish(subjectOf(target), parsed.data.body, {
        msgID: message.id,
        timeout: nats.timeoutSeconds * 1000,
      });
      published.catch(() => {});
      const ack = await Promise.race([published, stopped.promise]);
      if (!ack)
        return leaveUnknown(
          evidence(true),
          "timeout",
          "the message was written, and the stream did not acknowledge it within the deadline",
        );
      return accept(
        evidence(true, JSON.stringify({ stream: ack.stream, seq: ack.seq, duplicate: ack.duplicate })),
        ack.duplicate
          ? `the stream ${ack.stream} had it already, as number ${ack.seq}`
          : `the stream ${ack.stream} stored it as number ${ack.seq}`,
      );
    } catch (error) {
      return judgePublishError(error, evidence);
    } finally {
      call.signal.removeEventListener("abort", stop);
      await connection.close().catch(() => {});
    }
  },
  async reconcile(message, target, call) {
    const problem = checkTarget(target, call.outbound);
    if (problem) return { kind: "cannot_tell", why: problem };
    const opened = await openConnection(target, call);
    if (!opened.ok) return { kind: "cannot_tell", why: opened.why };
    try {
      return await findInStream(opened.connection, subjectOf(target), message, call.signal);
    } finally {
      await opened.connection.close().catch(() => {});
    }
  },
};
