export class TimedOut extends Error {
  override name = "TimedOut";
}

/** Resolves with the work, or rejects after `milliseconds`. The work itself goes on: its outcome is then unknown. */
export function withTimeout<T>(work: Promise<T>, milliseconds: number, what: string): Promise<T> {
  // Not a race of promises: this runs once per request.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimedOut(`${what} within ${milliseconds} ms`)), milliseconds);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
