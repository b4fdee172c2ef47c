"use client";

import { useRouter } from "next/navigation";
import { startTransition, useEffect, useRef } from "react";
import { usePulse } from "./pulse-context.tsx";

/**
 * Renders the page anew after an answer of the server: with each one, or only when something happened since. Never
 * without one: refreshing from a server that is away would leave the browser's own error page.
 */
export function AutoRefresh({ on }: { on: "beat" | "change" }) {
  const router = useRouter();
  const { beat, latest } = usePulse();
  const mark = latest?.mark ?? null;
  // What this page was rendered with counts as seen; an unknown mark does not, and costs one refresh.
  const seen = useRef({ beat, mark });
  useEffect(() => {
    if (beat === seen.current.beat) return;
    const changed = mark !== seen.current.mark;
    seen.current = { beat, mark };
    if (on === "beat" || changed) startTransition(() => router.refresh());
  }, [beat, mark, on, router]);
  return null;
}
