const IPV4 = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/**
 * Whether a Host header names this machine itself, with or without a port. A name that merely resolves to 127.0.0.1
 * does not count: that is how a foreign page would reach in (DNS rebinding).
 */
export function isLoopbackHost(host: string): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(host);
  if (!match) return false;
  const name = match[1]!.toLowerCase();
  if (name === "localhost" || name === "[::1]") return true;
  const octets = IPV4.exec(name);
  return octets?.slice(1).every((octet) => Number(octet) <= 255) ?? false;
}
