import type { Sql } from "#db/client.ts";

export type Note = { id: string; author: string; text: string; createdAt: string };
export type NoteKey = { source: string; account: string; invoice: string };

export const NOTE_LIMIT = 4_000;

export async function listNotes(sql: Sql, key: NoteKey): Promise<Note[]> {
  return await sql<Note[]>`
    select id, author, text, created_at as "createdAt" from notes
    where source_id = ${key.source} and account = ${key.account} and subject = ${key.invoice}
    order by created_at desc limit 100`;
}
