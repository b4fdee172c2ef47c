import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two tokens are equal, in a time that tells neither where they differ nor how long either is. */
export function areTokensEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(given), digest(expected));
}
