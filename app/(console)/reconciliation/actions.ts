"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { db } from "#app/db.ts";
import { requireAction } from "#app/guard.ts";
import {
  cancelReconciliation,
  dismissGap as dismissCall,
  repairGaps as repairCall,
} from "#lib/api/endpoints/reconciliations.ts";
import { reason, sourceId } from "#lib/api/fields.ts";
import type { Outcome } from "#lib/outcome.ts";
import { cancelRun } from "#lib/reconcile/cancel-run.ts";
import { dismissGap } from "#lib/reconcile/dismiss-gap.ts";
import { repairGaps } from "#lib/reconcile/repair-gaps.ts";
import { requestRun } from "#lib/reconcile/request-run.ts";
import { describeIssues } from "../sources/describe-issues.ts";

/** Each checks what it is given, and returns why it was refused, or null. */

const comparison = z.object({
  source: sourceId,
  days: z.int().min(1).max(400),
  repair: z.boolean(),
  redeliver: z.boolean(),
  reason,
});

export async function compare(
  request: Omit<z.input<typeof comparison>, "reason">,
  why: string,
): Promise<string | null> {
  const actor = await requireAction("reconcile.run");
  const parsed = comparison.safeParse({ ...request, reason: why });
  if (!parsed.success) return refuseInput(parsed.error);
  const { days, ...rest } = parsed.data;
  const to = new Date();
  const from = new Date(to.getTime() - days * 86_400_000);
  return finish(await requestRun(db(), actor, { ...rest, from: from.toISOString(), to: to.toISOString() }));
}

export async function repair(source: string, gaps: string[] | null, why: string): Promise<string | null> {
  const actor = await requireAction("reconcile.run");
  const parsed = repairCall.body.safeParse({ source, gaps, reason: why });
  return parsed.success ? finish(await repairGaps(db(), actor, parsed.data)) : refuseInput(parsed.error);
}

export async function dismiss(id: string, why: string): Promise<string | null> {
  const actor = await requireAction("reconcile.run");
  const parsed = dismissCall.params.extend({ reason }).safeParse({ id, reason: why });
  return parsed.success ? finish(await dismissGap(db(), actor, parsed.data)) : refuseInput(parsed.error);
}

export async function cancel(id: string, why: string): Promise<string | null> {
  const actor = await requireAction("reconcile.run");
  const parsed = cancelReconciliation.params.extend({ reason }).safeParse({ id, reason: why });
  return parsed.success ? finish(await cancelRun(db(), actor, parsed.data)) : refuseInput(parsed.error);
}

function finish(outcome: Outcome<unknown>): string | null {
  if (!outcome.ok) return outcome.problem.message;
  refresh();
  return null;
}

const refuseInput = (error: z.ZodError): string => (describeIssues(error).details ?? []).join("; ");
