import { db } from "#app/db.ts";
import { listWorkers } from "#lib/api/endpoints/running.ts";
import { listWorkers as load } from "#lib/api/reads/list-workers.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";

export const GET = route(listWorkers, async () => succeed({ body: await load(db()) }));
