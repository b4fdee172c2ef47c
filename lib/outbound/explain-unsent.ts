import { codeOf } from "./admit.ts";
import { NotAdmitted } from "./connector.ts";
import type { NotSentCode } from "./types.ts";

const TIMEOUTS = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);
const NO_CONNECTION = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ECONNABORTED",
  "EPERM",
  "EACCES",
]);

/** Why a connection was not made: the error of a connect call, or the reason of a signal that came before it. */
export function explainUnsent(error: unknown): { code: NotSentCode; why: string } {
  if (error instanceof NotAdmitted) return { code: error.code, why: error.message };
  const code = codeOf(error);
  const name = (error as Error | null)?.name;
  if (TIMEOUTS.has(code) || name === "TimeoutError")
    return { code: "connect_timeout", why: "no connection was made in time" };
  if (name === "AbortError")
    return { code: "connect_timeout", why: "the call was broken off before a connection was made" };
  if (NO_CONNECTION.has(code)) return { code: "refused", why: `no connection was made (${code})` };
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return { code: "dns", why: `the host was not found (${code})` };
  if (/^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/.test(code))
    return { code: "tls", why: `the encrypted connection was not made (${code})` };
  if (code === "ECONNRESET" || code === "EPIPE")
    return { code: "refused", why: `the connection ended before anything was written (${code})` };
  return { code: "refused", why: `no connection was made (${code})` };
}
