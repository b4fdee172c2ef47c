import { JetStreamApiError, JetStreamError } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";
import { cleanText } from "#lib/json.ts";
import { blameDestination, leaveUnknown, reject } from "../outcomes.ts";
import type { Evidence, SendOutcome } from "../types.ts";

/** err_code of the server: this message breaks a limit of the stream, and will break it again. */
const TOO_LARGE = 10_054;

/** What a failed publish means: an answer of the server is a refusal; no answer leaves it open. */
export function judgePublishError(
  error: unknown,
  evidence: (bytesLeft: boolean, responseBody?: string | null) => Evidence,
): SendOutcome {
  if (error instanceof errors.InvalidArgumentError || error instanceof errors.InvalidSubjectError)
    return reject(evidence(false), "bad_content", "the server's limits do not let this message through");
  if ((error as Error | null)?.name === "JetStreamNotEnabled")
    return blameDestination(evidence(true), "status", "no stream takes messages on this subject");
  // Not for a refused subscription: that is our mailbox for the answer, and the message may be stored all the same.
  const denied = error instanceof errors.RequestError ? error.cause : error;
  if (denied instanceof errors.PermissionViolationError && denied.operation === "publish")
    return blameDestination(evidence(true), "unauthorized", "we may not publish to this subject");
  if (error instanceof JetStreamApiError) {
    const answer = cleanText(error.message).slice(0, 4096);
    if (error.code === TOO_LARGE)
      return reject(evidence(true, answer), "status", "the stream does not take messages of this size");
    return blameDestination(evidence(true, answer), "status", "the stream refused the message");
  }
  if (error instanceof JetStreamError)
    return leaveUnknown(evidence(true), "status", "the answer was no acknowledgement of a stream");
  const late = error instanceof errors.TimeoutError;
  return leaveUnknown(
    evidence(true),
    late ? "timeout" : "reset",
    late
      ? "the message was written, and the stream did not acknowledge it within the deadline"
      : "the message was written, and the connection ended without an acknowledgement",
  );
}
