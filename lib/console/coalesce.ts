/**
 * Shares one answer between everybody who asks within `millis`: ten open consoles cost the database as much as one.
 * A failure is not kept.
 */
export function coalesce<Arguments extends unknown[], T>(
  read: (...args: Arguments) => Promise<T>,
  millis: number,
): (...args: Arguments) => Promise<T> {
  let current: { at: number; answer: Promise<T> } | undefined;
  return (...args) => {
    const now = performance.now();
    if (current && now - current.at < millis) return current.answer;
    const mine = { at: now, answer: read(...args) };
    current = mine;
    mine.answer.catch(() => {
      if (current === mine) current = undefined;
    });
    return mine.answer;
  };
}
