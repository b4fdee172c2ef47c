import Link from "next/link";
import type { ReactNode } from "react";

/** The heading of a page below the list. */
export function Crumbs({ children }: { children: ReactNode }) {
  return (
    <h1 className="flex flex-wrap gap-x-3 gap-y-1 items-center text-3! font-normal! tracking-normal! min-w-0">
      <Link className="text-ink-3 quiet-link" href="/sources">
        Sources
      </Link>
      <span className="text-ink-3" aria-hidden="true">
        /
      </span>
      {children}
    </h1>
  );
}
