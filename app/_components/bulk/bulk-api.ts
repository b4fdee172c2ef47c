/** The calls of bulk operations in the HTTP API, as the console uses them. */

export type BulkRequest = { action: string; filter: Record<string, unknown>; reason: string };
export type Frozen = { operation: string; count: number; token: string };
export type Started = { operation: string; startsAt: string };
export type Result<T> = { ok: true; value: T } | { ok: false; message: string };

export const freeze = (request: BulkRequest): Promise<Result<Frozen>> =>
  call<Frozen>("/api/v1/operations", { ...request, dryRun: true }, false);

export const start = (request: BulkRequest, { token, count }: Frozen): Promise<Result<Started>> =>
  call<Started>("/api/v1/operations", { ...request, token, count }, true);

export const undo = (operation: string): Promise<Result<{ undone: boolean }>> =>
  call<{ undone: boolean }>(`/api/v1/operations/${operation}/cancel`, {}, true);

async function call<T>(path: string, body: unknown, changes: boolean): Promise<Result<T>> {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(70_000),
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok && answer !== null) return { ok: true, value: answer as T };
    return { ok: false, message: messageOf(answer) ?? `The server answered with status ${response.status}.` };
  } catch {
    const unsure = changes ? " Look at Operations before another try: it may have happened." : "";
    return { ok: false, message: `The server did not answer.${unsure}` };
  }
}

function messageOf(answer: unknown): string | null {
  const error = (answer as { error?: { message?: unknown } } | null)?.error;
  return typeof error?.message === "string" ? error.message : null;
}
