"use client";

import { Menu, X } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ReactNode, Suspense, useState } from "react";
import { Brand } from "./brand.tsx";
import { NavCount } from "./nav-count.tsx";

type Entry = { href: string; word: string; count?: ReactNode };

const SECTIONS: { title: string | null; entries: Entry[] }[] = [
  { title: null, entries: [{ href: "/", word: "Overview" }] },
  {
    title: "Work",
    entries: [
      { href: "/inbox", word: "Inbox", count: <NavCount of="pending" what="pending" /> },
      { href: "/outbox", word: "Outbox", count: <NavCount of="outbox" what="pending" /> },
      { href: "/operations", word: "Operations" },
    ],
  },
  {
    title: "People",
    entries: [
      { href: "/invoices", word: "Invoices" },
      { href: "/workspaces", word: "Workspaces" },
      { href: "/feedback", word: "Feedback" },
    ],
  },
  {
    title: "Trust",
    entries: [
      { href: "/reconciliation", word: "Reconciliation" },
      { href: "/rejections", word: "Rejections" },
    ],
  },
  {
    title: "Set-up",
    entries: [
      { href: "/sources", word: "Sources" },
      { href: "/workers", word: "Workers" },
    ],
  },
];

const isAt = (href: string, path: string) => path === href || (href !== "/" && path.startsWith(`${href}/`));

/** The navigation, and on a phone the bar that it folds into. */
export function Nav({ foot }: { foot: ReactNode }) {
  const path = usePathname();
  // Open for one path only, so that following a link folds it again.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const open = openAt === path;
  return (
    <>
      <div className="top">
        <Brand />
        <span className="flex-1" />
        <button
          type="button"
          className="btn"
          aria-expanded={open}
          aria-controls="console-nav"
          onClick={() => setOpenAt(open ? null : path)}
        >
          {open ? <X size={16} aria-hidden="true" /> : <Menu size={16} aria-hidden="true" />}
          Menu
        </button>
      </div>
      <nav id="console-nav" className="nav" aria-label="Console" data-open={open || undefined}>
        <Brand />
        {SECTIONS.map(({ title, entries }) => (
          <div key={title ?? "first"}>
            {title ? <p className="sec">{title}</p> : null}
            <ul>
              {entries.map(({ href, word, count }) => (
                <li key={href}>
                  <Link href={href} aria-current={isAt(href, path) ? "page" : undefined}>
                    {word}
                    {count ? <Suspense fallback={null}>{count}</Suspense> : null}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <div className="foot">{foot}</div>
      </nav>
    </>
  );
}
