import type { NextRequest } from "next/server";
import { answerProblem } from "#app/api/v1/answers.ts";
import { readDb } from "#app/db.ts";
import { judgeHeaders } from "#app/guard.ts";
import { areTokensEqual } from "#lib/access/compare-tokens.ts";
import { TOKEN_COOKIE } from "#lib/access/guard.ts";
import { env } from "#lib/env.ts";
import { METRICS_CONTENT_TYPE, renderMetrics } from "#lib/telemetry/render-metrics.ts";

export const dynamic = "force-dynamic";

/** For a Prometheus scrape: with METRICS_TOKEN, with any token of the API, or for everybody by METRICS_OPEN. */
export async function GET(request: NextRequest): Promise<Response> {
  if (!mayRead(request))
    return answerProblem(401, "unauthorized", "Figures need METRICS_TOKEN or a token of the API.");
  return new Response(await renderMetrics(readDb()), {
    headers: { "content-type": METRICS_CONTENT_TYPE, "cache-control": "no-store" },
  });
}

function mayRead(request: NextRequest): boolean {
  const { METRICS_OPEN, METRICS_TOKEN } = env();
  if (METRICS_OPEN === "true") return true;
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (METRICS_TOKEN && bearer && areTokensEqual(bearer, METRICS_TOKEN)) return true;
  return judgeHeaders("GET", request.headers, request.cookies.get(TOKEN_COOKIE)?.value).ok;
}
