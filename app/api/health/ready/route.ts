import { db } from "#app/db.ts";
import { appVersion } from "#lib/api/version.ts";
import { checkReadiness } from "#lib/check/readiness.ts";
import { answerJson } from "../../v1/answers.ts";

export const dynamic = "force-dynamic";

export async function GET(): Promise<Response> {
  const readiness = await checkReadiness(db(), appVersion());
  if (readiness.ready) return answerJson(200, { status: "ready" });
  return answerJson(503, { status: "not_ready", why: readiness.why }, { "retry-after": "5" });
}
