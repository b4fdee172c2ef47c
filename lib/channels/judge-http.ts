import type { HttpResult } from "#lib/outbound/types.ts";
import { accept, blameDestination, failAttempt, leaveUnknown } from "./outcomes.ts";
import { parseRetryAfter } from "./retry-after.ts";
import type { Evidence, SendOutcome } from "./types.ts";

/**
 * What an HTTP exchange means where any 2xx acknowledges. `isRepeatable`: a second copy does no harm, because the receiver
 * knows messages by their id; then an attempt whose outcome nobody knows is simply a failed one.
 *
 *   2xx                               accepted
 *   3xx                               failed attempt, redirects are not followed
 *   401 403 404                       the destination's fault: its address or its secret
 *   410                               the destination is gone, and says so
 *   429, 503 with Retry-After         the destination's, until then
 *   500 502 504 and the like          failed attempt if repeatable, else unknown: a proxy may have lost the answer
 *   503 and the rest                  failed attempt
 *   nothing written                   the destination's: it cannot be reached
 *   written, no answer                failed attempt if repeatable, else unknown
 */
export function judgeHttp(result: HttpResult, now: Date, isRepeatable: boolean): SendOutcome {
  const evidence: Evidence = {
    bytesLeft: result.kind !== "not_sent",
    status: result.kind === "answered" ? result.status : null,
    responseBody: result.kind === "answered" ? result.body : null,
    latencyMs: result.latencyMs,
  };
  if (result.kind === "not_sent") {
    const code = result.code === "bad_url" ? "bad_target" : result.code;
    return blameDestination(evidence, code, result.why);
  }
  const ambiguous = isRepeatable ? failAttempt : leaveUnknown;
  if (result.kind === "lost") return ambiguous(evidence, result.code, result.why);
  const { status } = result;
  const answer = `the destination answered ${status}`;
  const after = parseRetryAfter(result.headers["retry-after"], now);
  if (status < 300) return accept(evidence, answer);
  if (status < 400) return failAttempt(evidence, "redirect", `${answer}, and redirects are not followed`);
  if (status === 401 || status === 403)
    return blameDestination(evidence, "unauthorized", `${answer}: it does not let us in`);
  if (status === 404) return blameDestination(evidence, "status", `${answer}: nothing is at its address`);
  if (status === 410)
    return blameDestination(evidence, "gone", `${answer}: it is gone for good`, { disables: true });
  if (status === 429)
    return blameDestination(evidence, "throttled", `${answer}: it takes no more at present`, { after });
  if (status === 503 && after !== null)
    return blameDestination(evidence, "status", `${answer} and asked to wait`, { after });
  if (status < 500 || status === 503) return failAttempt(evidence, "status", answer, after);
  return ambiguous(evidence, "status", answer, after);
}
