import { isIP } from "node:net";
import { whyNotPublic } from "./addresses.ts";
import { type Allowances, normalizeHost } from "./allowances.ts";

export type UrlCheck = { ok: true; url: URL; onlyAllowed: boolean } | { ok: false; why: string };

/** How a protocol goes out: which ports without asking, and whether what it carries can be read on the way. */
const PROTOCOLS: Record<string, { port: number; isPlain: boolean }> = {
  "https:": { port: 443, isPlain: false },
  "http:": { port: 80, isPlain: true },
  "tls:": { port: 4222, isPlain: false },
  "nats:": { port: 4222, isPlain: true },
};

/**
 * What can be said of a destination's URL before its name is resolved; `why` never repeats the URL, whose path may be a
 * secret. Addresses are checked when a connection is made, every time: `onlyAllowed` says how.
 */
export function checkUrl(text: string, schemes: readonly string[], allow: Allowances): UrlCheck {
  if (text.length > 2048) return { ok: false, why: "the URL is longer than 2,048 characters" };
  // A parser would silently drop line breaks and tabs: what a person reads is then not what is called.
  if (/[\p{Cc}\s\\]/u.test(text) || !URL.canParse(text))
    return { ok: false, why: "the URL cannot be read as one" };
  const url = new URL(text);
  const protocol = schemes.includes(url.protocol) ? PROTOCOLS[url.protocol] : undefined;
  if (!protocol)
    return { ok: false, why: `the URL must begin with ${schemes.map((s) => `${s}//`).join(" or ")}` };
  if (url.username || url.password)
    return { ok: false, why: "the URL carries a user name or password; credentials belong in the secret" };
  if (!url.hostname) return { ok: false, why: "the URL names no host" };
  const host = normalizeHost(url.hostname);
  if (allow.host(host)) return { ok: true, url, onlyAllowed: true };
  const literal = isIP(host) !== 0;
  const what = literal && whyNotPublic(host);
  if (what) return { ok: false, why: `the address is ${what}, and OUTBOUND_ALLOW does not name it` };
  const port = Number(url.port) || protocol.port;
  const onlyAllowed = protocol.isPlain || port !== protocol.port;
  // A name may still lead into an allowed range; an address that is not named never will.
  if (onlyAllowed && (literal || !allow.hasRanges)) {
    return {
      ok: false,
      why: protocol.isPlain
        ? `the URL must begin with ${schemes.find((scheme) => !PROTOCOLS[scheme]?.isPlain)}//: OUTBOUND_ALLOW does not name its host`
        : `port ${port} is only for hosts that OUTBOUND_ALLOW names`,
    };
  }
  return { ok: true, url, onlyAllowed };
}
