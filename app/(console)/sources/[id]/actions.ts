"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { secretKey } from "#app/api/v1/secret-key.ts";
import { db } from "#app/db.ts";
import { requireAction } from "#app/guard.ts";
import { ownOrigin } from "#app/own-origin.ts";
import { secretKeys } from "#app/secret-keys.ts";
import { confirmContract } from "#lib/admin/confirm-contract.ts";
import { describeSource } from "#lib/admin/describe-source.ts";
import { rotateSecret } from "#lib/admin/rotate-secret.ts";
import { sendTestEvent } from "#lib/admin/send-test-event.ts";
import { setCapture } from "#lib/admin/set-capture.ts";
import { setContract } from "#lib/admin/set-contract.ts";
import { setSourceStatus } from "#lib/admin/set-source-status.ts";
import {
  setCapture as captureCall,
  confirmContract as confirmCall,
} from "#lib/api/endpoints/source-tools.ts";
import { pauseSource, rotateSecret as rotateCall } from "#lib/api/endpoints/sources.ts";
import { reason, sourceId } from "#lib/api/fields.ts";
import type { Outcome } from "#lib/outcome.ts";
import type { FormProblem } from "../../../_components/sources/problem-list.tsx";
import type { RotateInput } from "../../../_components/sources/rotate-dialog.tsx";
import type { TestState } from "../../../_components/sources/test-panel.tsx";
import { describeIssues } from "../describe-issues.ts";
import { readContract } from "../read-contract.ts";

/** Each checks what it is given with the schema of the API's own call, and returns why it was refused, or null. */

export async function rotate(id: string, input: RotateInput): Promise<string | null> {
  const actor = await requireAction("sources.write");
  const parsed = rotateCall.body.extend({ id: sourceId, reason }).safeParse({ ...input, id });
  if (!parsed.success) return refuseInput(parsed.error);
  return finish(await rotateSecret(db(), actor, secretKey(), parsed.data));
}

export async function setPaused(id: string, paused: boolean, why: string): Promise<string | null> {
  const actor = await requireAction("sources.pause");
  const parsed = pauseSource.body
    .extend({ id: sourceId, paused: z.boolean() })
    .safeParse({ id, paused, reason: why });
  if (!parsed.success) return refuseInput(parsed.error);
  const { paused: isPaused, ...request } = parsed.data;
  return finish(await setSourceStatus(db(), actor, { ...request, status: isPaused ? "paused" : "active" }));
}

export async function switchCapture(id: string, on: boolean, why: string): Promise<string | null> {
  const actor = await requireAction("sources.write");
  const parsed = captureCall.body.extend({ id: sourceId }).safeParse({ id, on, reason: why });
  if (!parsed.success) return refuseInput(parsed.error);
  return finish(await setCapture(db(), actor, parsed.data));
}

export async function confirmItem(id: string, item: string, why: string): Promise<string | null> {
  const actor = await requireAction("sources.write");
  const parsed = confirmCall.body.extend({ id: sourceId }).safeParse({ id, item, reason: why });
  if (!parsed.success) return refuseInput(parsed.error);
  return finish(await confirmContract(db(), actor, parsed.data));
}

export async function replaceContract(id: string, text: string): Promise<FormProblem | null> {
  const actor = await requireAction("sources.write");
  const parsed = z.object({ id: sourceId, text: z.string().max(100_000) }).safeParse({ id, text });
  if (!parsed.success) return describeIssues(parsed.error);
  const source = await describeSource(db(), parsed.data.id);
  if (!source) return { message: "There is no such source." };
  const contract = readContract(source.kind, parsed.data.text);
  if (!contract.ok) return contract.problem;
  const refused = finish(await setContract(db(), actor, source.id, contract.value));
  return refused === null ? null : { message: refused };
}

export async function sendTest(id: string): Promise<TestState> {
  const actor = await requireAction("sources.write");
  const parsed = sourceId.safeParse(id);
  if (!parsed.success) return { ok: false, message: "There is no such source." };
  const outcome = await sendTestEvent(db(), actor, secretKeys(), ownOrigin(), { id: parsed.data });
  if (!outcome.ok) return { ok: false, message: outcome.problem.message };
  refresh();
  return { ok: true, report: outcome.value };
}

function finish(outcome: Outcome<unknown>): string | null {
  if (!outcome.ok) return outcome.problem.message;
  refresh();
  return null;
}

const refuseInput = (error: z.ZodError): string => (describeIssues(error).details ?? []).join("; ");
