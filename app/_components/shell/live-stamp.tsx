"use client";

import { relative } from "#lib/console/time.ts";
import { useNow } from "../use-now.ts";
import { usePulse } from "./pulse-context.tsx";

/** How fresh the page is: "Live, 1 s ago", or that it no longer is. */
export function LiveStamp({ readAt }: { readAt: number }) {
  const { contact } = usePulse();
  const age = relative(readAt, useNow(readAt));
  switch (contact) {
    case "live":
      return <span className="num">Live, {age}</span>;
    case "paused":
      return <span className="num">Paused while hidden, {age}</span>;
    case "lost":
      return (
        <span className="num text-bad" role="status">
          ! No answer from the server; this is from {age}
        </span>
      );
    default:
      return contact satisfies never;
  }
}
