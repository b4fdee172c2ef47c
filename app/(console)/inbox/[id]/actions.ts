"use server";

import { refresh } from "next/cache";
import { db } from "#app/db.ts";
import { requireAction } from "#app/guard.ts";
import { resolveEvent as call } from "#lib/api/endpoints/resolve.ts";
import { eventUuid } from "#lib/api/fields.ts";
import { resolveEvent } from "#lib/inbox/resolve.ts";
import { describeIssues } from "../../sources/describe-issues.ts";

const input = call.body.extend({ id: eventUuid });

export type ResolveInput = Pick<(typeof input)["_input"], "id" | "decision" | "conflictId" | "expect">;

/** Decides about an event or one of its conflicts. Returns why not, or null. */
export async function resolve(asked: ResolveInput, reason: string): Promise<string | null> {
  const actor = await requireAction("inbox.resolve");
  const parsed = input.safeParse({ ...asked, reason });
  if (!parsed.success) return (describeIssues(parsed.error).details ?? []).join("; ");
  const outcome = await resolveEvent(db(), actor, parsed.data);
  // Refused or not: what is on the page may be out of date.
  refresh();
  return outcome.ok ? null : outcome.problem.message;
}
