"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { db } from "#app/db.ts";
import { requireAction } from "#app/guard.ts";
import { NOTE_LIMIT, type NoteKey, writeNote } from "#lib/console/notes.ts";

const input = z.object({
  key: z.object({ source: z.string().max(255), account: z.string().max(255), invoice: z.string().max(255) }),
  text: z.string().max(NOTE_LIMIT * 2),
});

/** Keeps a note beside an invoice. Returns why not, or null. */
export async function keepNote(key: NoteKey, text: string): Promise<string | null> {
  const actor = await requireAction("notes.write");
  const parsed = input.safeParse({ key, text });
  if (!parsed.success) return `A note has at most ${NOTE_LIMIT} characters.`;
  const refused = await writeNote(db(), actor, parsed.data.key, parsed.data.text);
  if (refused === null) refresh();
  return refused;
}
