"use server";

import { z } from "zod";
import { secretKey } from "#app/api/v1/secret-key.ts";
import { db } from "#app/db.ts";
import { requireAction } from "#app/guard.ts";
import { putSource } from "#lib/admin/put-source.ts";
import { accountId, kind, mode, name, sourceId, tenantId } from "#lib/api/fields.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import type { NewSource } from "../../../_components/sources/add-source-form.tsx";
import type { FormProblem } from "../../../_components/sources/problem-list.tsx";
import { describeIssues } from "../describe-issues.ts";
import { readContract } from "../read-contract.ts";

const input = z.strictObject({
  kind,
  id: sourceId,
  name,
  account: accountId,
  tenant: tenantId,
  mode,
  secret: z.string().trim().max(4096),
  contract: z.string().max(100_000),
});

/** Creates a source. Returns why not, or null. Never replaces one that is there. */
export async function addSource(source: NewSource): Promise<FormProblem | null> {
  const actor = await requireAction("sources.write");
  const parsed = input.safeParse(source);
  if (!parsed.success) return describeIssues(parsed.error);
  const { account, tenant, secret, ...rest } = parsed.data;
  const contract = readContract(rest.kind, rest.contract);
  if (!contract.ok) return contract.problem;
  const outcome = await putSource(db(), actor, secretKey(), {
    ...rest,
    contract: contract.value,
    accounts: [{ account, tenant, mode: rest.mode }],
    secrets: secret === "" ? [] : [secret],
    settings: sourceSettings.parse({}),
    onlyNew: true,
  });
  return outcome.ok ? null : { message: outcome.problem.message };
}
