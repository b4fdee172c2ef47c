"use client";

import { exactUtc, relative, toMillis } from "#lib/console/time.ts";
import { useNow } from "./use-now.ts";

/** "12 s ago", with the exact time in UTC to read and copy from its title. */
export function Ago({ at, now, className = "" }: { at: string; now: number; className?: string }) {
  const current = useNow(now, 5_000);
  return (
    <time className={className} dateTime={new Date(toMillis(at)).toISOString()} title={exactUtc(at)}>
      {relative(toMillis(at), current)}
    </time>
  );
}
