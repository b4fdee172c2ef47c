import { z } from "zod";

/** Where a page ended: the last row's time with every digit PostgreSQL has (a Date would drop some), and its id. */
export type Position = { at: string; id: string };

const shape = z.tuple([
  z.string().regex(/^\d{4}-\d{2}-\d{2}[ T][\d:.]+(Z|[+-][\d:]+)$/),
  z.string().min(1).max(64),
]);

export function encodeCursor({ at, id }: Position): string {
  return Buffer.from(JSON.stringify([at, id])).toString("base64url");
}

/** Null for a text that no page of ours gave out. */
export function decodeCursor(text: string): Position | null {
  try {
    const [at, id] = shape.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
    return { at, id };
  } catch {
    return null;
  }
}

export type Page<T> = { items: T[]; nextCursor: string | null };

/** Makes a page of up to `limit` rows from `limit + 1`: the one too many says that there is a next page. */
export function cutPage<T>(rows: readonly T[], limit: number, positionOf: (row: T) => Position): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(positionOf(last)) : null };
}
