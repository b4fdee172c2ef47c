import { db } from "#app/db.ts";
import { getCheck, postCheck } from "#lib/api/endpoints/running.ts";
import { checkAcks } from "#lib/check/acks.ts";
import type { Check } from "#lib/check/check.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";

export const GET = route(getCheck, async () => report(await checkInvariants(db())));

export const POST = route(postCheck, async ({ body }) =>
  report([...(await checkInvariants(db())), await checkAcks(db(), body.acks)]),
);

const report = (checks: Check[]) => succeed({ body: { ok: checks.every(({ ok }) => ok), checks } });
