import type { ConnectionOptions, NatsConnection } from "@nats-io/transport-node";
import { connect, credsAuthenticator } from "@nats-io/transport-node";
import { normalizeHost } from "#lib/outbound/allowances.ts";
import { checkUrl } from "#lib/outbound/check-url.ts";
import type { Call, FailureCode, Target } from "../types.ts";
import { SCHEMES } from "./target.ts";

export type Opened = { ok: true; connection: NatsConnection } | { ok: false; code: FailureCode; why: string };

/**
 * One connection to checked addresses alone: what the server tells of its cluster is not followed, and nothing reconnects.
 * Never rejects; nothing of a message has been written yet.
 */
export async function openConnection(target: Target, { outbound, signal }: Call): Promise<Opened> {
  const check = checkUrl(target.url ?? "", SCHEMES, outbound.allow);
  if (!check.ok) return { ok: false, code: "bad_target", why: check.why };
  const host = normalizeHost(check.url.hostname);
  const admission = await outbound.admit(host, check.onlyAllowed);
  if (!admission.ok) return admission;
  const port = check.url.port || "4222";
  const options: ConnectionOptions = {
    servers: admission.addresses.map(({ address, family }) =>
      family === 6 ? `[${address}]:${port}` : `${address}:${port}`,
    ),
    name: "counterfoil",
    // The certificate is for the name, the connection to the address. Null: not even where the server offers it.
    tls: check.url.protocol === "tls:" ? ({ servername: host } as ConnectionOptions["tls"]) : null,
    reconnect: false,
    maxReconnectAttempts: 0,
    ignoreClusterUpdates: true,
    timeout: 10_000,
    ...readSecret(target.secret),
  };
  const connecting = connect(options);
  const stopped = Promise.withResolvers<null>();
  const stop = () => stopped.resolve(null);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const connection = await Promise.race([connecting, stopped.promise]);
    if (connection) return { ok: true, connection };
    // It may still come to be: then nobody waits for it.
    connecting.then(
      (late) => late.close(),
      () => {},
    );
    return { ok: false, code: "connect_timeout", why: "no connection was made in time" };
  } catch (error) {
    return { ok: false, ...explain(error) };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A credentials file's text, user:password, or a token. */
function readSecret(secret: string | null): Partial<ConnectionOptions> {
  if (!secret) return {};
  if (secret.includes("BEGIN NATS USER JWT"))
    return { authenticator: credsAuthenticator(new TextEncoder().encode(secret)) };
  const colon = secret.indexOf(":");
  return colon > 0 ? { user: secret.slice(0, colon), pass: secret.slice(colon + 1) } : { token: secret };
}

/** The library keeps the system's error as the cause. Its own messages may name the server, never the secret. */
function explain(error: unknown): { code: FailureCode; why: string } {
  const { name = "", message = "", code, cause } = (error ?? {}) as Error & { code?: string };
  const system = code ?? (cause as { code?: string } | undefined)?.code;
  if (name === "AuthorizationError" || name === "UserAuthenticationExpiredError")
    return { code: "unauthorized", why: "the server does not let us in" };
  if (name === "TimeoutError") return { code: "connect_timeout", why: "no connection was made in time" };
  if (/tls|certificate|self.signed/i.test(`${message} ${system ?? ""}`))
    return {
      code: "tls",
      why: `the encrypted connection was not made${system ? ` (${system})` : ""}; servers that require TLS need a tls:// url`,
    };
  return { code: "refused", why: `no connection was made${system ? ` (${system})` : ""}` };
}
