"use client";

import { use } from "react";
import { capped } from "#lib/console/text.ts";
import { usePulse } from "./pulse-context.tsx";

/** A count beside a navigation entry; nothing when there is nothing. */
export function NavCount({ of, what }: { of: "pending" | "outbox"; what: string }) {
  const { initial, latest } = usePulse();
  const pulse = latest ?? use(initial);
  if (!pulse || pulse[of] === 0) return null;
  return (
    <b>
      {capped(pulse[of])}
      <span className="sr-only"> {what}</span>
    </b>
  );
}
