import type { NextRequest } from "next/server";
import type { z } from "zod";
import { judgeHeaders } from "#app/guard.ts";
import { isConflict, isDataError, isOutage, sqlState } from "#db/errors.ts";
import { describeLack, may } from "#lib/access/actions.ts";
import type { Actor } from "#lib/access/actor.ts";
import { TOKEN_COOKIE } from "#lib/access/guard.ts";
import type { Endpoint } from "#lib/api/endpoint.ts";
import { toIssues } from "#lib/api/problem.ts";
import type { Outcome } from "#lib/outcome.ts";
import { log } from "#lib/telemetry/log.ts";
import { answerJson, answerProblem, answerRefusal, answerUnavailable } from "./answers.ts";
import { readJson } from "./read-json.ts";

export type Call<E extends Endpoint> = {
  actor: Actor;
  params: z.output<E["params"]>;
  query: z.output<E["query"]>;
  body: E["body"] extends z.ZodType ? z.output<E["body"]> : null;
};

/** A success: 200 unless another status is given. */
export type Success<E extends Endpoint> = { status?: keyof E["success"]; body: z.input<E["answer"]> };

type Context = { params: Promise<Record<string, string | string[] | undefined>> };

/**
 * Makes a route of an endpoint: who may, then whether the request has the endpoint's shape, then the work. What goes
 * wrong is answered as `{"error":{"code","message"}}`, never with a cause that could hold a payload.
 */
export function route<E extends Endpoint>(
  endpoint: E,
  work: (call: Call<E>) => Promise<Outcome<Success<E>>>,
): (request: NextRequest, context: Context) => Promise<Response> {
  return async (request, context) => {
    try {
      const judged = judgeHeaders(request.method, request.headers, request.cookies.get(TOKEN_COOKIE)?.value);
      if (!judged.ok) return refuseAccess(judged.status, judged.code, judged.message);
      const { actor } = judged;
      const asked = endpoint.action ?? endpoint.scope;
      if (asked && !may(actor, asked)) {
        return answerProblem(403, "forbidden", describeLack(actor, asked));
      }
      const call = await readCall(endpoint, request, context);
      if (call instanceof Response) return call;
      const outcome = await work({ ...call, actor } as Call<E>);
      if (!outcome.ok) return answerRefusal(outcome.problem);
      return answerJson(Number(outcome.value.status ?? 200), outcome.value.body);
    } catch (error) {
      return answerFailure(endpoint, error);
    }
  };
}

function refuseAccess(status: 401 | 403, code: string, message: string): Response {
  return answerProblem(
    status,
    code,
    message,
    undefined,
    status === 401 ? { "www-authenticate": "Bearer" } : undefined,
  );
}

async function readCall(endpoint: Endpoint, request: NextRequest, context: Context) {
  // Route handlers get them decoded (pages do not), and none at all for a path without parameters.
  const params = endpoint.params.safeParse((await context.params) ?? {});
  if (!params.success) return answerIssues("The address is not one of ours.", params.error);
  const query = endpoint.query.safeParse(readQuery(request.nextUrl.searchParams));
  if (!query.success) return answerIssues("The query is not usable.", query.error);
  if (!endpoint.body) return { params: params.data, query: query.data, body: null };
  const json = await readJson(request);
  if (json instanceof Response) return json;
  const body = endpoint.body.safeParse(json.value);
  if (!body.success) return answerIssues("The body is not usable.", body.error);
  return { params: params.data, query: query.data, body: body.data };
}

function answerIssues(message: string, error: z.ZodError): Response {
  return answerProblem(400, "invalid_request", message, toIssues(error));
}

/** `?status=` is the same as no status; a name given twice stays a list, which no schema takes. */
function readQuery(search: URLSearchParams): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name).filter((value) => value !== "");
    if (values.length > 0) query[name] = values.length === 1 ? values[0]! : values;
  }
  return query;
}

function answerFailure(endpoint: Endpoint, error: unknown): Response {
  const lockTimeout = sqlState(error) === "55P03";
  log().error({ err: error, call: `${endpoint.method} ${endpoint.path}` }, "an API call failed");
  if (isOutage(error) || isConflict(error) || lockTimeout) return answerUnavailable();
  if (isDataError(error))
    return answerProblem(422, "unacceptable", "The database does not accept these values.");
  return answerProblem(500, "internal", "Something went wrong on our side.");
}
