import { v7 as uuidv7 } from "uuid";
import type { Sql } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { cleanText } from "#lib/json.ts";

export type NoteKey = { source: string; account: string; invoice: string };

export const NOTE_LIMIT = 4_000;

/** Writes a note beside an invoice, with its audit entry. Refused (a sentence comes back) when it says nothing. */
export async function writeNote(sql: Sql, actor: Actor, key: NoteKey, text: string): Promise<string | null> {
  const clean = cleanText(text).trim();
  if (clean === "") return "Write something first.";
  if (clean.length > NOTE_LIMIT) return `A note has at most ${NOTE_LIMIT} characters.`;
  return await sql.begin(async (tx) => {
    const id = uuidv7();
    // Only beside what is known: an address that somebody made up gets no notes.
    const { count } = await tx`
      insert into notes (id, source_id, account, subject, author, text)
      select ${id}, ${key.source}, ${key.account}, ${key.invoice}, ${actor.name}, ${clean}
      where exists (select from inbox_events
        where source_id = ${key.source} and account = ${key.account} and subject = ${key.invoice})`;
    if (count === 0) return "Nothing is known about this invoice.";
    const target = `invoice:${JSON.stringify([key.source, key.account, key.invoice])}`;
    await writeAudit(tx, actor, { action: "note.write", target, before: null, after: { note: id } });
    return null;
  });
}
