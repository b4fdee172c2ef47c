"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { db } from "#app/db.ts";
import { requireAction } from "#app/guard.ts";
import { changeFeedback, type FeedbackKey } from "#lib/feedback/change-feedback.ts";

const input = z.object({
  key: z.strictObject({
    source: z.string().max(255),
    project: z.string().max(255),
    feedback: z.string().max(255),
  }),
  version: z.int().min(0),
  what: z.enum(["acknowledge", "assign", "resolve", "reopen"]),
});

/** What a person does with feedback; assigned is to whoever asks. Returns why not, or null. */
export async function moveFeedback(key: FeedbackKey, version: number, what: string): Promise<string | null> {
  const actor = await requireAction("alerts.write");
  const parsed = input.safeParse({ key, version, what });
  if (!parsed.success) return "This cannot be done.";
  const { what: verb } = parsed.data;
  const change = verb === "assign" ? { do: verb, assignee: actor.name } : { do: verb };
  const outcome = await changeFeedback(db(), actor, parsed.data.key, parsed.data.version, change);
  if (!outcome.ok) return outcome.problem.message;
  refresh();
  return null;
}
