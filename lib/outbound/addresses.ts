import ipaddr from "ipaddr.js";

/** Public addresses that answer only inside a data centre, to whoever runs there. */
const METADATA = new Set(["168.63.129.16"]);

/** Addresses that one host on a public network gives to another: everything else of IPv6 is private or reserved. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/**
 * Null when the address is a public host's, else what it is ("private", "loopback", …). An IPv4 address inside an IPv6
 * one is judged as IPv4 where the system connects to it directly (::ffff:…); forms that lead through a translator or a
 * tunnel to an IPv4 address of unknown place (64:ff9b::/96, 2002::/16, Teredo, ISATAP, ::a.b.c.d) are refused whole.
 * `address` is as a resolver gives it: not the short forms that only URLs know, and without a zone.
 */
export function whyNotPublic(address: string): string | null {
  if (!ipaddr.isValid(address)) return "no address";
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range !== "unicast") return WORDS[range] ?? "reserved";
  if (METADATA.has(parsed.toString())) return "reserved";
  if (parsed.kind() === "ipv6") {
    const v6 = parsed as ipaddr.IPv6;
    if (!v6.match(GLOBAL_UNICAST as [ipaddr.IPv6, number])) return "reserved";
    if (v6.parts[4]! % 0x200 === 0 && v6.parts[5] === 0x5efe) return "a tunnel to an IPv4 address";
  }
  return null;
}

const WORDS: Record<string, string> = {
  unspecified: "unspecified",
  broadcast: "broadcast",
  multicast: "multicast",
  linkLocal: "link-local",
  loopback: "loopback",
  carrierGradeNat: "private",
  private: "private",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
  rfc6145: "a translation to an IPv4 address",
  rfc6052: "a translation to an IPv4 address",
  "6to4": "a tunnel to an IPv4 address",
  teredo: "a tunnel to an IPv4 address",
};
