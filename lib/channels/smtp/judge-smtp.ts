import { blameDestination, failAttempt, leaveUnknown, reject } from "../outcomes.ts";
import type { Evidence, FailureCode, SendOutcome } from "../types.ts";

/** What nodemailer's errors tell, as far as it matters here. */
export type SmtpFailure = {
  code?: string | undefined;
  originalCode?: string | undefined;
  command?: string | undefined;
  response?: string | undefined;
  responseCode?: number | undefined;
  /** The call's deadline, or its being broken off, instead of an error. */
  isDeadline?: boolean;
};

export type SmtpStage = {
  /** The server had greeted us and agreed on the terms. */
  isConnected: boolean;
  /** All of the message was handed to the connection: the final dot may have been written. */
  isComplete: boolean;
};

/**
 * What a failure means.
 *
 *   reply 4xx to RCPT or to the message    failed attempt: deferred, try again
 *   reply 5xx to RCPT or to the message    rejected: this message will never be taken
 *   any other bad reply (greeting, login, sender), and 421 before the message      the mail server's: all messages would fail
 *   no reply, the final dot may be written      unknown
 *   no reply before that                        the mail server's if no session was there, else a failed attempt
 */
export function judgeSmtp(failure: SmtpFailure, evidence: Evidence, stage: SmtpStage): SendOutcome {
  const reply = failure.responseCode;
  if (reply) return judgeReply(reply, failure, evidence, stage);
  const code = codeOf(failure, stage);
  if (stage.isComplete) {
    return leaveUnknown(
      evidence,
      code,
      failure.isDeadline
        ? "the whole message was written, and the mail server did not answer within the deadline"
        : "the whole message was written, and the connection ended without an answer",
    );
  }
  if (failure.code === "EENVELOPE" || failure.code === "EMESSAGE")
    return reject(evidence, "bad_target", "the mail server or its client cannot take these addresses");
  const why = WORDS[code] ?? "the connection to the mail server ended before the message was written";
  const detail = failure.originalCode ?? failure.code;
  const sentence = detail ? `${why} (${detail})` : why;
  if (!stage.isConnected || failure.code === "EAUTH") return blameDestination(evidence, code, sentence);
  return failAttempt(evidence, code, sentence);
}

function judgeReply(reply: number, failure: SmtpFailure, evidence: Evidence, stage: SmtpStage): SendOutcome {
  const answer = `the mail server answered ${reply}`;
  if (failure.code === "EAUTH") return blameDestination(evidence, "unauthorized", `${answer} to our login`);
  const isAboutMessage = stage.isComplete || failure.command === "RCPT TO" || failure.command === "DATA";
  if (!isAboutMessage || (reply === 421 && !stage.isComplete))
    return blameDestination(evidence, "status", `${answer}: it takes no message from us at present`);
  const what = failure.command === "RCPT TO" ? "to the recipient's address" : "to the message";
  if (reply >= 500) return reject(evidence, "status", `${answer} ${what}: it will not be taken`);
  return failAttempt(evidence, "status", `${answer} ${what}: deferred`);
}

const WORDS: Partial<Record<FailureCode, string>> = {
  dns: "the mail server's name was not found",
  refused: "no connection to the mail server",
  tls: "the encrypted connection to the mail server was not made",
  timeout: "the mail server did not answer within the deadline",
  connect_timeout: "no session with the mail server within the deadline",
  unauthorized: "the mail server does not let us in",
};

function codeOf(failure: SmtpFailure, stage: SmtpStage): FailureCode {
  if (failure.isDeadline || failure.code === "ETIMEDOUT")
    return stage.isConnected ? "timeout" : "connect_timeout";
  if (failure.code === "EDNS") return "dns";
  if (failure.code === "ETLS") return "tls";
  if (failure.code === "EAUTH") return "unauthorized";
  return stage.isConnected ? "reset" : "refused";
}
