import Link from "next/link";
import type { RejectionFilter } from "#lib/api/reads/list-rejections.ts";
import { REJECTION_WORDS } from "#lib/console/rejection-words.ts";
import { rejectionsHref } from "#lib/console/rejections.ts";
import { revealPlain, shortId } from "#lib/console/text.ts";

/** What the list is narrowed to, each part a link that takes it away. Filters are added by following a name below. */
export function RejectionFilters({ filter }: { filter: RejectionFilter }) {
  const { source, reason } = filter;
  if (!source && !reason) return null;
  return (
    <nav className="facets" aria-label="Filters">
      {source ? (
        <Chip href={rejectionsHref({ reason })} word={`source ${revealPlain(shortId(source, 24, 8))}`} />
      ) : null}
      {reason ? <Chip href={rejectionsHref({ source })} word={REJECTION_WORDS[reason].word} /> : null}
      <Link className="chip" href="/rejections">
        Clear
      </Link>
    </nav>
  );
}

function Chip({ href, word }: { href: string; word: string }) {
  return (
    <Link className="chip on" href={href}>
      {word} <span aria-hidden="true">×</span>
      <span className="sr-only">, remove</span>
    </Link>
  );
}
