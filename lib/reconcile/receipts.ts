import type { Tx } from "#db/client.ts";
import { initialCreditGrant } from "#lib/effects/initial-credit-grant.ts";
import type { Recovery } from "#lib/recovery/types.ts";
import type { LoadedSource } from "#lib/sources/load.ts";
import type { Candidate } from "./candidates.ts";
import type { ReceiptFact } from "./classify.ts";

type Row = ReceiptFact & { account: string; subject: string };

/** The receipts of each candidate, the newest first: of objects those that may grant, of deliveries those of the id. */
export async function loadReceipts(
  tx: Tx,
  source: LoadedSource,
  lists: Recovery["lists"],
  candidates: readonly Candidate[],
): Promise<(candidate: Candidate) => ReceiptFact[]> {
  const bySubject = new Map<string, ReceiptFact[]>();
  const keyOf = (account: string, subject: string) =>
    lists === "deliveries" ? subject : JSON.stringify([account, subject]);
  const subjects = candidates.map(({ subject }) => subject);
  const rows =
    lists === "deliveries"
      ? await tx.unsafe<Row[]>(`${SELECT} where source_id = $1 and event_id = any($2::text[]) ${ORDER}`, [
          source.id,
          subjects,
        ])
      : await tx.unsafe<Row[]>(
          `${SELECT} where source_id = $1 and subject = any($2::text[]) and type = any($3::text[]) ${ORDER}`,
          [source.id, subjects, typesOf(source, candidates)],
        );
  for (const row of rows) {
    const key = keyOf(row.account, row.subject);
    bySubject.set(key, [...(bySubject.get(key) ?? []), row]);
  }
  return ({ account, subject }) => bySubject.get(keyOf(account, subject)) ?? [];
}

/** The types of the grant; of a kind without one, the types that the objects' own events have. */
function typesOf({ kind }: LoadedSource, candidates: readonly Candidate[]): string[] {
  const granting = initialCreditGrant.takes[kind] ?? [];
  return [...new Set([...granting, ...candidates.flatMap(({ judged }) => judged?.type ?? [])])].filter(
    (type) => !LINKING.includes(type),
  );
}

/** These only say which payment paid what. */
const LINKING = ["CHECKOUT_SESSION_PAID", "invoice_payment.paid"];

const SELECT = `
select account, case when event_id = any($2::text[]) then event_id else subject end as subject, status,
  failure_class as "failureClass", why, extract(epoch from now() - received_at)::float as age
from inbox_events`;
const ORDER = "order by received_at desc, id desc";
