import ipaddr from "ipaddr.js";

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** What OUTBOUND_ALLOW lets through: private addresses, plain http and any port, for these hosts and ranges alone. */
export type Allowances = {
  /** The host as a URL shows it (lower case; IPv6 with or without brackets). */
  host(name: string): boolean;
  address(address: string): boolean;
  /** Whether a name may turn out to be allowed once it is resolved. */
  hasRanges: boolean;
};

export type AllowancesResult = { ok: true; allow: Allowances } | { ok: false; why: string };

/** Parses OUTBOUND_ALLOW: host names, addresses and CIDR ranges, separated by commas or white space. */
export function parseAllowances(text: string): AllowancesResult {
  const hosts = new Set<string>();
  const ranges: Range[] = [];
  for (const [at, entry] of text
    .split(/[\s,]+/)
    .filter(Boolean)
    .entries()) {
    const range = readRange(entry);
    if (range) ranges.push(range);
    else if (isHostName(entry)) hosts.add(normalizeHost(entry));
    else return { ok: false, why: `entry ${at + 1} is neither a host name nor an address nor a CIDR range` };
  }
  const address = (text: string) => matchesAny(text, ranges);
  return {
    ok: true,
    allow: {
      host: (name) => hosts.has(normalizeHost(name)) || address(normalizeHost(name)),
      address,
      hasRanges: ranges.length > 0,
    },
  };
}

/** Lower case, without brackets and without the root's dot: localhost. is localhost. */
export function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** A name whose last label is a number is an address badly written, as in every URL. */
function isHostName(text: string): boolean {
  const labels = text.replace(/\.$/, "").split(".");
  const isAddress = /^(\d+|0x[0-9a-f]*)$/i.test(labels.at(-1)!);
  return text.length <= 253 && !isAddress && labels.every((label) => LABEL.test(label));
}

function readRange(entry: string): Range | null {
  const text = entry.replace(/^\[(.*)\](\/\d+)?$/, "$1$2");
  // ipaddr.js reads 127.1 and 0x7f000001 as addresses too: in a setting, four numbers are what a person means.
  if (!text.includes(":") && !/^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(text)) return null;
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    return null;
  }
}

/** An IPv4 address in IPv6 form is the IPv4 address: whoever allows 10.0.0.0/8 means ::ffff:10.0.0.1 as well. */
function matchesAny(text: string, ranges: readonly Range[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits));
}
