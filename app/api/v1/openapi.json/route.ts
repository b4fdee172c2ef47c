import { ENDPOINTS } from "#lib/api/endpoints/index.ts";
import { getOpenapi } from "#lib/api/endpoints/openapi.ts";
import { describeApi } from "#lib/api/openapi.ts";
import { appVersion } from "#lib/api/version.ts";
import { env } from "#lib/env.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";

export const GET = route(getOpenapi, async () =>
  succeed({ body: describeApi(ENDPOINTS, appVersion(), env().PUBLIC_URL) }),
);
