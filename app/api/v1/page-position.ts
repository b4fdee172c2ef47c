import { decodeCursor, type Position } from "#lib/api/cursor.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";

/** Where the wanted page begins; refused when the cursor is none that a page of ours gave out. */
export function readPosition(cursor: string | undefined): Outcome<Position | null> {
  if (cursor === undefined) return succeed(null);
  const position = decodeCursor(cursor);
  return position
    ? succeed(position)
    : refuse("unacceptable", "The cursor is not one that a page of this list gave.");
}
