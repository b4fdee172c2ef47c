import { z } from "zod";

export const problemAnswer = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      state: z
        .string()
        .optional()
        .meta({ description: "The state that was found instead of the one that was needed." }),
      issues: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .optional()
        .meta({ description: "What is wrong with which field." }),
    }),
  })
  .meta({ id: "Problem" });

export type ProblemAnswer = z.infer<typeof problemAnswer>;

/** One line per fault, with the path to the field; never the value, which may be a secret. */
export function toIssues(error: z.ZodError): { path: string; message: string }[] {
  return error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
}
