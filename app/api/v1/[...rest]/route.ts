import type { NextRequest } from "next/server";
import { answerProblem } from "../answers.ts";

/** Any other path of the API is refused in JSON, whoever asks. */
async function refuse(_: NextRequest): Promise<Response> {
  return answerProblem(404, "not_found", "The API has no such call.");
}

export { refuse as DELETE, refuse as GET, refuse as PATCH, refuse as POST, refuse as PUT };
