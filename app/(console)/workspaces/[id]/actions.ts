"use server";

import { refresh } from "next/cache";
import { db } from "#app/db.ts";
import { requireAction } from "#app/guard.ts";
import { correctCredits } from "#lib/admin/correct-credits.ts";
import { correctCredits as call } from "#lib/api/endpoints/corrections.ts";
import { workspaceId } from "#lib/api/fields.ts";
import type { CorrectInput, CorrectResult } from "../../../_components/workspace/correct-dialog.tsx";
import { describeIssues } from "../../sources/describe-issues.ts";

/** Corrects a balance by hand; the worker makes the entry a moment later. */
export async function correct(workspace: string, input: CorrectInput): Promise<CorrectResult> {
  const actor = await requireAction("workspaces.correct");
  const parsed = call.body.extend({ workspace: workspaceId }).safeParse({ ...input, workspace });
  if (!parsed.success) return { ok: false, message: (describeIssues(parsed.error).details ?? []).join("; ") };
  const outcome = await correctCredits(db(), actor, parsed.data);
  if (!outcome.ok) return { ok: false, message: outcome.problem.message };
  refresh();
  return { ok: true, ...outcome.value };
}
