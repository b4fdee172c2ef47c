import type { Badge as BadgeView } from "#lib/console/badge.ts";

/** A state: colour, and beside it always glyph and word. */
export function Badge({ badge }: { badge: BadgeView }) {
  return (
    <span className={`st ${badge.tone}`}>
      <i aria-hidden="true">{badge.glyph}</i>
      {badge.word}
    </span>
  );
}
