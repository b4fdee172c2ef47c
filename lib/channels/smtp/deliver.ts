import { Readable } from "node:stream";
import { parseConnectionUrl } from "nodemailer/lib/shared";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { cleanText } from "#lib/json.ts";
import { accept } from "../outcomes.ts";
import type { Evidence, SendOutcome } from "../types.ts";
import type { Mail } from "./compose.ts";
import { judgeSmtp, type SmtpFailure } from "./judge-smtp.ts";

/** Milliseconds. The call's signal is the deadline; these only keep the library's own from coming first. */
const NEVER = 3_600_000;

/** One message over one connection. Never rejects. Resolves as soon as the server has answered, and says good-bye after. */
export function deliver(mail: Mail, smtpUrl: string, signal: AbortSignal): Promise<SendOutcome> {
  const begun = performance.now();
  const { auth, ...server } = parseConnectionUrl(smtpUrl);
  const connection = new SMTPConnection({
    ...server,
    connectionTimeout: NEVER,
    greetingTimeout: NEVER,
    socketTimeout: NEVER,
    dnsTimeout: NEVER,
    maxResponseSize: 65_536,
  });
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  let isConnected = false;
  // The source ends before the final dot is written: from there on the server may have all of it.
  let isComplete = false;
  const source = Readable.from([mail.bytes]).once("end", () => {
    isComplete = true;
  });

  const evidence = (reply?: string, code?: number): Evidence => ({
    bytesLeft: isComplete,
    status: code ?? (Number(reply?.match(/^\d{3}/)?.[0]) || null),
    responseBody: reply === undefined ? null : cleanText(reply).slice(0, 4096),
    latencyMs: Math.round(performance.now() - begun),
  });
  const finish = (outcome: SendOutcome) => {
    signal.removeEventListener("abort", stop);
    resolve(outcome);
  };
  const fail = (error: SmtpFailure) => {
    finish(judgeSmtp(error, evidence(error.response, error.responseCode), { isConnected, isComplete }));
    connection.close();
  };
  const stop = () => fail({ isDeadline: true });
  const transmit = () =>
    connection.send(mail.envelope, source, (error, info) => {
      if (error) return fail(error);
      finish(accept(evidence(info?.response), "the mail server took the message"));
      setTimeout(() => connection.close(), 2_000).unref();
      connection.quit();
    });

  connection.on("error", fail);
  if (signal.aborted) stop();
  else {
    signal.addEventListener("abort", stop, { once: true });
    connection.connect((error) => {
      if (error) return fail(error);
      isConnected = true;
      // As nodemailer's own transports do: a server that offers no login is not asked for one.
      if (!auth || !connection.allowsAuth) return transmit();
      connection.login(auth, (refusal) => (refusal ? fail(refusal) : transmit()));
    });
  }
  return promise;
}
