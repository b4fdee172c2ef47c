import { db } from "#app/db.ts";
import { getInvoice } from "#lib/api/endpoints/inbox.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { loadInvoiceTrace } from "#lib/trace/invoice.ts";
import { route } from "../../../../handler.ts";

export const GET = route(getInvoice, async ({ params }) => {
  const trace = await loadInvoiceTrace(db(), params);
  return trace ? succeed({ body: trace }) : refuse("not_found", "Nothing is known about this invoice.");
});
