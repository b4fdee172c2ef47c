import type { NextRequest } from "next/server";
import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { exportInbox, toCsv } from "#lib/console/inbox-export.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { loadInboxParams, toFilter } from "../search-params.ts";

export const dynamic = "force-dynamic";

/** The list as it is filtered, as a file: `?format=json`, else CSV. */
export async function GET(request: NextRequest): Promise<Response> {
  await requirePage("inbox.read");
  const params = loadInboxParams(request.nextUrl.searchParams);
  const { items, complete } = await withDeadline(exportInbox(readDb(), toFilter(params)), 30_000);
  const isJson = request.nextUrl.searchParams.get("format") === "json";
  const body = isJson ? JSON.stringify({ items, complete }) : toCsv(items);
  const stamp = new Date().toISOString().slice(0, 16).replaceAll(":", "");
  const name = `inbox-${stamp}${complete ? "" : "-first-10000"}`;
  return new Response(body, {
    headers: {
      "content-type": isJson ? "application/json; charset=utf-8" : "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.${isJson ? "json" : "csv"}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
