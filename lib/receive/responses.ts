import type { RejectionReason } from "#db/states.ts";
import type { ChallengeAnswer } from "#lib/sources/types.ts";
import type { ReceiveResponse, Stored } from "./types.ts";

const JSON_TYPE = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

/** Seconds after which a sender may try again when the fault is ours. */
const RETRY_AFTER = "5";

export function answerStored(stored: Stored): ReceiveResponse {
  return {
    status: 200,
    headers: { ...JSON_TYPE },
    body: `{"status":"${stored.result}","event":"${stored.event}"}`,
  };
}

export function answerError(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): ReceiveResponse {
  return {
    status,
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify({ error: { code, message } }),
  };
}

export function answerUnavailable(message: string): ReceiveResponse {
  return answerError(503, "unavailable", message, { "retry-after": RETRY_AFTER });
}

/** Null for a challenge with the wrong token. The text is the sender's own: it is never served as a page. */
export function answerChallenge(challenge: ChallengeAnswer): ReceiveResponse | null {
  if (!challenge.answered) return null;
  const headers = {
    "content-type": challenge.contentType,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return { status: 200, headers, body: challenge.body };
}

/** The answer to a request that was turned away. All signature faults look alike; the log has the true reason. */
export function answerRejection(reason: RejectionReason): ReceiveResponse {
  switch (reason) {
    case "unknown_source":
      return answerError(404, "unknown_source", "There is no such source.");
    case "method_not_allowed":
      return answerError(405, "method_not_allowed", "Webhooks are sent with POST.", { allow: "POST" });
    case "unsupported_encoding":
      return answerError(415, "unsupported_encoding", "Only Content-Encoding: identity is accepted.", {
        "accept-encoding": "identity",
      });
    case "body_too_large":
      return answerError(413, "body_too_large", "The body is larger than this source accepts.");
    case "body_truncated":
      return answerError(400, "body_truncated", "The body ended before its announced length.");
    case "signature_missing":
    case "signature_malformed":
    case "signature_mismatch":
    case "timestamp_stale":
      return answerError(401, "signature_invalid", "The signature could not be verified.");
    case "no_usable_secret":
      return answerUnavailable("This source has no usable secret at present.");
    case "overloaded":
      return answerUnavailable("Too much is waiting to be stored.");
    default:
      return reason satisfies never;
  }
}
