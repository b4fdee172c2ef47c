/** Seconds: a destination can neither make us hammer it nor put a message to sleep for years. */
const LEAST = 1;
const MOST = 86_400;

const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .{10,40}$/;

/** Retry-After in both its forms (RFC 9110 §10.2.3), in seconds from `now` within bounds; null when it says nothing. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return clamp(Number(text));
  if (!HTTP_DATE.test(text)) return null;
  const at = Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : clamp(Math.ceil((at - now.getTime()) / 1000));
}

const clamp = (seconds: number) => Math.min(MOST, Math.max(LEAST, seconds));
