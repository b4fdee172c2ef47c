import type { z } from "zod";
import { toIssues } from "#lib/api/problem.ts";
import type { FormProblem } from "../../_components/sources/problem-list.tsx";

/** What is wrong with which field; never the value, which may be a secret. */
export function describeIssues(error: z.ZodError): FormProblem {
  const details = toIssues(error).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return { message: "Not everything can be taken as it is.", details };
}
