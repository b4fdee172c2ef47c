"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { db } from "#app/db.ts";
import { requireAction } from "#app/guard.ts";
import { getOperation } from "#lib/api/reads/operations.ts";
import { findAction } from "#lib/operations/actions.ts";
import { cancelOperation } from "#lib/operations/cancel.ts";

/** Undoes an operation, or stops it where it is. Returns why not, or null. */
export async function cancel(id: string): Promise<string | null> {
  await requireAction("operations.read");
  const parsed = z.guid().safeParse(id);
  const operation = parsed.success ? await getOperation(db(), parsed.data) : null;
  const actor = await requireAction(findAction(operation?.action ?? "")?.asks ?? "operations.run");
  if (!operation) return "There is no such operation.";
  const outcome = await cancelOperation(db(), actor, { id: operation.id });
  refresh();
  return outcome.ok ? null : outcome.problem.message;
}
