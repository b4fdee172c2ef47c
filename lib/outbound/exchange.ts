import type { Dispatcher } from "undici";
import { cleanText } from "#lib/json.ts";
import { explainUnsent } from "./explain-unsent.ts";
import type { HttpRequest, HttpResult } from "./types.ts";

/** Bytes of an answer that are kept. What comes after them is not read. */
const KEPT = 4096;
/** Milliseconds that an answer's body may take once its status is there: the status decides, the body only explains. */
const BODY_PATIENCE = 2_000;

/**
 * One POST and its answer. Never rejects: what happened is the result. undici tells a handler when a request is handed to
 * a connected socket; before that nothing can have left, after that anything may.
 */
export function exchange(agent: Dispatcher, url: URL, request: HttpRequest): Promise<HttpResult> {
  const begun = performance.now();
  const latencyMs = () => Math.round(performance.now() - begun);
  const { promise, resolve } = Promise.withResolvers<HttpResult>();
  let controller: Dispatcher.DispatchController | undefined;
  let answer: { status: number; headers: Record<string, string>; latencyMs: number } | undefined;
  let patience: NodeJS.Timeout | undefined;
  let settled = false;
  const kept: Buffer[] = [];
  let size = 0;

  const settle = (result: HttpResult) => {
    if (settled) return;
    settled = true;
    clearTimeout(patience);
    request.signal.removeEventListener("abort", stop);
    resolve(result);
  };
  /** Ends with what is known so far. */
  const end = (error: unknown) => {
    const bytes = Buffer.concat(kept).subarray(0, KEPT);
    if (answer) settle({ kind: "answered", ...answer, body: cleanText(bytes.toString("utf8")) });
    else if (!controller) settle({ kind: "not_sent", ...explainUnsent(error), latencyMs: latencyMs() });
    else settle({ kind: "lost", ...explainLost(error, request.signal), latencyMs: latencyMs() });
  };
  /** The same before the exchange is over: its connection cannot be used again. */
  const breakOff = (error: unknown) => {
    end(error);
    controller?.abort(new Error("settled"));
  };
  const stop = () => breakOff(request.signal.reason);

  if (request.signal.aborted) stop();
  request.signal.addEventListener("abort", stop, { once: true });
  const options: Dispatcher.DispatchOptions = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: "POST",
    headers: request.headers,
    body: request.body,
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // A request that was given up while it waited for its connection: nothing is written.
      if (settled) return started.abort(new Error("settled"));
      controller = started;
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return;
      answer = { status, headers: flatten(headers), latencyMs: latencyMs() };
      patience = setTimeout(() => breakOff(null), BODY_PATIENCE);
    },
    onResponseData(_controller, chunk) {
      kept.push(chunk.subarray(0, KEPT - size));
      size += chunk.length;
      if (size > KEPT) breakOff(null);
    },
    onResponseEnd: () => end(null),
    onResponseError: (_controller, error) => end(error),
  };
  try {
    if (!settled) agent.dispatch(options, handler);
  } catch (error) {
    end(error);
  }
  return promise;
}

function explainLost(error: unknown, signal: AbortSignal): { code: "timeout" | "reset"; why: string } {
  if (!signal.aborted) {
    const code = (error as { code?: string } | null)?.code;
    return {
      code: "reset",
      why: `the request was written, and the connection ended without an answer${code ? ` (${code})` : ""}`,
    };
  }
  const late = (signal.reason as Error | undefined)?.name === "TimeoutError";
  return {
    code: "timeout",
    why: late
      ? "the request was written, and no answer came within the deadline"
      : "the request was written, and the call was broken off before an answer came",
  };
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? "")]),
  );
}
