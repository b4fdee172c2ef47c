/** `body` is the answer as text, `ms` how long it took. */
export type TestAnswer = { status: number; body: string; ms: number };

/** The receiver itself gives up on a commit after ten seconds. */
const TIMEOUT = 15_000;
const MOST_BODY = 4_000;

/** Posts the bytes as a sender would; null when nothing answered. */
export async function postTestEvent(
  url: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<TestAnswer | null> {
  const start = performance.now();
  try {
    const response = await fetch(url, {
      method: "POST",
      body: new Uint8Array(body),
      headers: { "user-agent": "Counterfoil test event", ...headers },
      redirect: "manual",
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const text = (await response.text()).slice(0, MOST_BODY);
    return { status: response.status, body: text, ms: Math.round(performance.now() - start) };
  } catch {
    return null;
  }
}
