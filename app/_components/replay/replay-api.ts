/** The replay call of the HTTP API, as the console uses it. */

export type ReplayAnswer = { verdict: string; why: string; by: string | null; operation: string | null };
export type ReplayResult = { ok: true; answer: ReplayAnswer } | { ok: false; message: string };

export async function callReplay(id: string, reason: string, dryRun: boolean): Promise<ReplayResult> {
  try {
    const response = await fetch(`/api/v1/inbox/${encodeURIComponent(id)}/replay`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ reason, dryRun }),
      signal: AbortSignal.timeout(20_000),
    });
    const body: unknown = await response.json().catch(() => null);
    if (response.ok && isAnswer(body)) return { ok: true, answer: body };
    return {
      ok: false,
      message: errorMessage(body) ?? `The server answered with status ${response.status}.`,
    };
  } catch {
    const unsure = dryRun ? "" : " Look at the page again before another try: it may have happened.";
    return { ok: false, message: `The server did not answer.${unsure}` };
  }
}

function isAnswer(body: unknown): body is ReplayAnswer {
  return typeof body === "object" && body !== null && "verdict" in body && "why" in body;
}

function errorMessage(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("error" in body)) return null;
  const { error } = body;
  if (typeof error !== "object" || error === null || !("message" in error)) return null;
  return typeof error.message === "string" ? error.message : null;
}
