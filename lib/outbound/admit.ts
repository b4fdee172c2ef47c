import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { whyNotPublic } from "./addresses.ts";
import { type Allowances, normalizeHost } from "./allowances.ts";
import type { Admission, Resolved, Resolver } from "./types.ts";

/** The system's resolver: hosts file, search domains and all, since that is what a connection would use. */
export const resolveWithSystem: Resolver = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

export type AdmitOptions = {
  allow: Allowances;
  resolve: Resolver;
  /** True where only what OUTBOUND_ALLOW names will do, public or not: plain http, odd ports. */
  onlyAllowed: boolean;
};

/**
 * Every address of the host, if each of them may be connected to; one that may not refuses them all, since a name with a
 * public and a private record is somebody's attempt. The caller connects to these addresses and never asks again.
 */
export async function admitHost(host: string, options: AdmitOptions): Promise<Admission> {
  const name = normalizeHost(host);
  const family = isIP(name);
  let addresses: Resolved[];
  if (family !== 0) addresses = [{ address: name, family: family === 6 ? 6 : 4 }];
  else {
    try {
      addresses = await options.resolve(name);
    } catch (error) {
      return { ok: false, code: "dns", why: `${name} was not found (${codeOf(error)})` };
    }
  }
  if (addresses.length === 0) return { ok: false, code: "dns", why: `${name} has no address` };
  if (options.allow.host(name)) return { ok: true, addresses };
  for (const { address } of addresses) {
    const why = refuseAddress(address, options);
    if (why) {
      const which = family === 0 ? `${name} leads to ${address}` : name;
      return { ok: false, code: "blocked_address", why: `${which}: ${why}` };
    }
  }
  return { ok: true, addresses };
}

function refuseAddress(address: string, { allow, onlyAllowed }: AdmitOptions): string | null {
  if (allow.address(address)) return null;
  if (onlyAllowed) return "plain http and other ports are for hosts that OUTBOUND_ALLOW names";
  const what = whyNotPublic(address);
  return what && `the address is ${what}, and OUTBOUND_ALLOW does not name it`;
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "unknown error";
}
