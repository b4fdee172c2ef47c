/** A sender's API did not answer as it should. The message is one sentence for operators, without payload or key. */
export class SenderFailure extends Error {
  override name = "SenderFailure";
  /** Trying again cannot help: a person has to change something. */
  readonly permanent: boolean;
  /** The sender's own word on when to come back. */
  readonly retryAfterMs: number | null;

  constructor(message: string, permanent: boolean, retryAfterMs: number | null = null) {
    super(message);
    this.permanent = permanent;
    this.retryAfterMs = retryAfterMs;
  }
}

/** More than a day is a sender's mistake, and less than a second is no wait. */
const MOST = 86_400_000;

/** Retry-After in seconds or as a date; null when it is absent or neither. `now` in milliseconds. */
export function readRetryAfter(text: string | null | undefined, now: number): number | null {
  if (!text) return null;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 1_000), MOST);
}

/** What a status other than 2xx means. */
export function failureOf(status: number, retryAfter: string | null | undefined, now: number): SenderFailure {
  const wait = readRetryAfter(retryAfter, now);
  if (status === 401 || status === 403) {
    return new SenderFailure(`the sender refused the credentials (${status})`, wait === null, wait);
  }
  if (status === 429) return new SenderFailure("the sender asks for fewer calls (429)", false, wait);
  if (status >= 500) return new SenderFailure(`the sender is in trouble (${status})`, false, wait);
  return new SenderFailure(`the sender answered ${status}`, status !== 408 && status !== 409, wait);
}
