import Link from "next/link";
import { PendingWord } from "../pending-word.tsx";

type Props = { rows: number; newer: string | null; older: string | null };

/** To the neighbouring pages; a page is a link that stays the same while rows arrive. */
export function Pager({ rows, newer, older }: Props) {
  return (
    <nav className="flex items-center gap-3 mt-3 text-1 text-ink-3" aria-label="Pages">
      <span className="num">{rows === 1 ? "1 row" : `${rows} rows`} on this page</span>
      <span className="flex-1" />
      {newer ? (
        <Link className="btn" href={newer} prefetch={false}>
          <PendingWord>Newer</PendingWord>
        </Link>
      ) : null}
      {older ? (
        <Link className="btn" href={older} prefetch={false}>
          <PendingWord>Older</PendingWord>
        </Link>
      ) : null}
    </nav>
  );
}
