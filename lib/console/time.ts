/**
 * Times as people read them. Input is PostgreSQL's own text of a timestamptz: a Date would drop the microseconds
 * that cursors and exact titles need, so one is made only where milliseconds are enough.
 */

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d{1,6})?(Z|[+-]\d{2}(?::?\d{2})?)$/;

/** Milliseconds since 1970, fractions kept. NaN for a text that is no timestamp. */
export function toMillis(text: string): number {
  const match = TIMESTAMP.exec(text);
  if (!match) return Number.NaN;
  const [, day, clock, fraction = "", zone] = match;
  const offset =
    zone === "Z" ? "Z" : zone!.length === 3 ? `${zone}:00` : zone!.replace(/^(...)(\d\d)$/, "$1:$2");
  return Date.parse(`${day}T${clock}${offset}`) + Number(`0${fraction}`) * 1000;
}

/** "2026-03-03 10:02:11.204123 UTC", every digit that was stored. */
export function exactUtc(text: string): string {
  const millis = toMillis(text);
  if (Number.isNaN(millis)) return text;
  const fraction = (TIMESTAMP.exec(text)?.[3] ?? "").slice(1).padEnd(6, "0");
  return `${new Date(millis).toISOString().slice(0, 19).replace("T", " ")}.${fraction} UTC`;
}

/** A length of time: "31 ms", "9.4 s", "2 min 6 s", "3 h 12 min", "4 d 2 h". */
export function duration(millis: number): string {
  const value = Math.max(0, millis);
  if (value < 1) return "< 1 ms";
  if (value < 1_000) return `${Math.round(value)} ms`;
  if (value < 60_000) return `${value < 9_950 ? (value / 1000).toFixed(1) : Math.floor(value / 1000)} s`;
  const seconds = Math.floor(value / 1000);
  if (seconds < 3_600) return pair(seconds, 60, "min", 1, "s");
  if (seconds < 86_400) return pair(seconds, 3_600, "h", 60, "min");
  return pair(seconds, 86_400, "d", 3_600, "h");
}

function pair(seconds: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % big) / small);
  return `${Math.floor(seconds / big)} ${bigName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}

/** "now", "12 s ago", "2 min ago", "3 h ago", "5 d ago"; "in 8 s" for what is still to come. */
export function relative(at: number, now: number): string {
  const seconds = Math.round(Math.abs(now - at) / 1000);
  if (seconds < 1) return "now";
  const text =
    seconds < 60
      ? `${seconds} s`
      : seconds < 3_600
        ? `${Math.floor(seconds / 60)} min`
        : seconds < 86_400
          ? `${Math.floor(seconds / 3_600)} h`
          : `${Math.floor(seconds / 86_400)} d`;
  return at > now ? `in ${text}` : `${text} ago`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = `${zone} ${key}`;
  const known = formats.get(id);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone });
  formats.set(id, made);
  return made;
}

/** "10:02:11.204" in the zone. */
export function clock(text: string, zone: string): string {
  return format(zone, "clock", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  }).format(toMillis(text));
}

/** "10:02" in the zone. */
export function clockMinute(millis: number, zone: string): string {
  return format(zone, "minute", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(millis);
}

/** "3 March 2026" in the zone. */
export function day(text: string, zone: string): string {
  return format(zone, "day", { day: "numeric", month: "long", year: "numeric" }).format(toMillis(text));
}

/** "3 Mar, 10:02:11" in the zone. */
export function dayAndClock(text: string, zone: string): string {
  return format(zone, "both", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(toMillis(text));
}

/** The zone when the runtime knows it, else UTC. */
export function knownZone(zone: string | undefined): string {
  if (!zone || zone.length > 64) return "UTC";
  try {
    format(zone, "probe", {});
    return zone;
  } catch {
    return "UTC";
  }
}
