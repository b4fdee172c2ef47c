import type { Badge as BadgeView } from "#lib/console/badge.ts";
import { Badge } from "../badge.tsx";

export function Badges({ badges }: { badges: BadgeView[] }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      {badges.map((badge) => (
        <Badge key={badge.word} badge={badge} />
      ))}
    </span>
  );
}
