import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { type AdmitOptions, admitHost } from "./admit.ts";
import { normalizeHost } from "./allowances.ts";
import type { Resolved } from "./types.ts";

/** Milliseconds for name, TCP and TLS together are these, or less when the call's deadline comes first. */
const CONNECT_TIMEOUT = 10_000;

/** A connection that was not made because of where it would have led. */
export class NotAdmitted extends Error {
  override name = "NotAdmitted";
  readonly code: "blocked_address" | "dns";
  constructor(code: "blocked_address" | "dns", why: string) {
    super(why);
    this.code = code;
  }
}

/**
 * Resolves, checks every address and connects to exactly these: the name is not asked a second time, so it cannot
 * change its answer between check and connection. TLS still verifies the certificate against the name.
 */
export function createConnector(options: Omit<AdmitOptions, "onlyAllowed">): buildConnector.connector {
  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
    const onlyAllowed = target.protocol !== "https:" || port !== 443;
    const host = normalizeHost(target.hostname);
    admitHost(host, { ...options, onlyAllowed }).then(
      (admission) => {
        if (!admission.ok) return callback(new NotAdmitted(admission.code, admission.why), null);
        const connect = buildConnector({
          allowH2: false,
          timeout: CONNECT_TIMEOUT,
          lookup: answerWith(admission.addresses),
        });
        connect({ ...target, hostname: isIP(host) ? host : target.hostname }, callback);
      },
      (error) => callback(error, null),
    );
  };
}

/** A lookup that knows nothing but what was checked. */
const answerWith =
  (addresses: Resolved[]): LookupFunction =>
  (_host, options, done) => {
    if (options.all) return done(null, addresses as never);
    const [first] = addresses;
    done(null, first!.address, first!.family);
  };
