import type { z } from "zod";
import type { Endpoint } from "#lib/api/endpoint.ts";
import { problemAnswer } from "#lib/api/problem.ts";
import { CliFailure, EXIT } from "./failure.ts";
import type { Settings } from "./settings.ts";

export type Request<E extends Endpoint> = {
  params?: Record<string, string>;
  query?: Record<string, string | undefined>;
  body?: E["body"] extends z.ZodType ? z.input<E["body"]> : never;
};

export type Client = <E extends Endpoint>(
  endpoint: E,
  request?: Request<E>,
) => Promise<z.output<E["answer"]>>;

/** Checking every row of a large database takes its time. */
const TIMEOUT = 15 * 60_000;

/** Calls the API. A refusal or silence becomes a CliFailure. */
export function createClient({ url, token }: Settings): Client {
  return async (endpoint, { params = {}, query = {}, body } = {}) => {
    if (!token) {
      throw new CliFailure(
        "No token: set ADMIN_TOKEN, or DATA_DIR to the directory in which the server keeps its console-token.",
        EXIT.usage,
      );
    }
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ""),
    );
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : [])),
    );
    const response = await send(url, `${path}${search.size > 0 ? `?${search}` : ""}`, {
      method: endpoint.method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new CliFailure(describeRefusal(response.status, answer));
    return answer as never;
  };
}

/** fetch, with silence put in words. */
export async function send(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, {
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
      ...init,
    });
  } catch (error) {
    const cause = (error as Error).cause as { code?: string } | undefined;
    const why = cause?.code ?? (error as Error).name;
    throw new CliFailure(
      `Nothing answers at ${url} (${why}). Is Counterfoil running (npm start)? If it is elsewhere, set COUNTERFOIL_URL.`,
      EXIT.unreachable,
    );
  }
}

function describeRefusal(status: number, answer: unknown): string {
  const parsed = problemAnswer.safeParse(answer);
  if (!parsed.success) return `The server answered with status ${status}, not as Counterfoil does.`;
  const { message, issues = [] } = parsed.data.error;
  return [
    `${message} (${status})`,
    ...issues.map((issue) => `  ${issue.path || "(the whole)"}: ${issue.message}`),
  ].join("\n");
}
