import type { ProblemAnswer } from "#lib/api/problem.ts";
import type { Problem } from "#lib/outcome.ts";

const HEADERS = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

export function answerJson(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...HEADERS, ...headers } });
}

export function answerProblem(
  status: number,
  code: string,
  message: string,
  issues?: ProblemAnswer["error"]["issues"],
  headers?: Record<string, string>,
): Response {
  return answerJson(
    status,
    { error: { code, message, ...(issues && { issues }) } } satisfies ProblemAnswer,
    headers,
  );
}

/** The status of a refusal. */
export function answerRefusal({ code, message, state }: Problem): Response {
  switch (code) {
    case "not_found":
      return answerProblem(404, code, message);
    case "conflict":
      return answerJson(409, { error: { code, message, ...(state && { state }) } } satisfies ProblemAnswer);
    case "forbidden":
      return answerProblem(403, code, message);
    case "unacceptable":
      return answerProblem(422, code, message);
    default:
      return code satisfies never;
  }
}

export function answerUnavailable(): Response {
  return answerProblem(503, "unavailable", "The database cannot answer at present.", undefined, {
    "retry-after": "5",
  });
}
