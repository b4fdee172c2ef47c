"use client";

import { relative } from "#lib/console/time.ts";
import { useNow } from "../use-now.ts";
import { usePulse } from "./pulse-context.tsx";

/** How fresh the page is: "Live, 1 s ago", or that it no longer is. Without a time, only whether. */
export function LiveStamp({ readAt }: { readAt?: number }) {
  const { contact } = usePulse();
  const now = useNow(readAt ?? 0);
  const age = readAt === undefined ? "" : `, ${relative(readAt, now)}`;
  switch (contact) {
    case "live":
      return <span className="num">Live{age}</span>;
    case "paused":
      return <span className="num">Paused while hidden{age}</span>;
    case "lost":
      return (
        <span className="num text-bad" role="status">
          ! No answer from the server{age}
        </span>
      );
    default:
      return contact satisfies never;
  }
}
