import { answerJson } from "../../v1/answers.ts";

export const dynamic = "force-dynamic";

/** The process is up. Nothing else is asked: a database that is away is no reason to be killed. */
export async function GET(): Promise<Response> {
  return answerJson(200, { status: "live" });
}
