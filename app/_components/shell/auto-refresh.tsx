"use client";

import { useRouter } from "next/navigation";
import { startTransition, useEffect, useRef } from "react";
import { usePulse } from "./pulse-context.tsx";

/**
 * Renders the page anew after an answer of the server: with each one, or only when something happened. Never without
 * one: refreshing from a server that is away would leave the browser's own error page.
 */
export function AutoRefresh({ on }: { on: "beat" | "change" }) {
  const router = useRouter();
  const { beat, latest } = usePulse();
  const seen = useRef<string | null>(null);
  const mark = latest?.mark ?? null;
  useEffect(() => {
    if (beat === 0) return;
    const changed = seen.current !== null && seen.current !== mark;
    seen.current = mark;
    if (on === "beat" || changed) startTransition(() => router.refresh());
  }, [beat, mark, on, router]);
  return null;
}
