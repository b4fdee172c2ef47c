/** CONTRACT §8: within a window of 72 hours from the intent, at least once an hour. Seconds. */
export const SENDING = { baseSeconds: 5, minSeconds: 1, capSeconds: 3_600, windowHours: 72 };

/** How often a destination that fails as a whole is tried with one message. */
const PROBING = { baseSeconds: 5, minSeconds: 2, capSeconds: 600 };

/** Failures of different messages in a row, after which the destination is at fault and not they. */
export const BREAKING_FAILURES = 8;

/**
 * Seconds until the next call after `attempts` that counted: capped exponential backoff with full jitter, so that what
 * an outage brought together does not come back together. `random` is in [0, 1). What the destination asked for is a
 * lower bound, within the cap.
 */
export function sendDelay(attempts: number, random: number, asked: number | null = null): number {
  return Math.max(jittered(SENDING, attempts, random), Math.min(asked ?? 0, SENDING.capSeconds));
}

/** Seconds until the next probe after `probes` that failed. */
export function probeDelay(probes: number, random: number): number {
  return jittered(PROBING, probes, random);
}

function jittered(
  { baseSeconds, minSeconds, capSeconds }: { baseSeconds: number; minSeconds: number; capSeconds: number },
  failures: number,
  random: number,
): number {
  const exponent = Math.min(Math.max(0, Math.trunc(failures) - 1), 20);
  return Math.max(minSeconds, Math.min(capSeconds, baseSeconds * 2 ** exponent) * random);
}
