"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useTransition } from "react";
import { usePulse } from "../shell/pulse-context.tsx";

/**
 * "12 new, show": rows that came do not push the list away under the reader. Asks only after the pulse said that
 * something happened.
 */
export function NewRows({ query, cursor }: { query: string; cursor: string }) {
  const router = useRouter();
  const { latest } = usePulse();
  const mark = latest?.mark ?? null;
  const [found, setFound] = useState({ cursor, count: 0 });
  const [busy, start] = useTransition();
  useEffect(() => {
    if (mark === null) return;
    const abort = new AbortController();
    countNew(query, cursor, abort.signal).then(
      (count) => setFound({ cursor, count }),
      () => undefined,
    );
    return () => abort.abort();
  }, [mark, query, cursor]);
  const count = found.cursor === cursor ? found.count : 0;
  return (
    <div role="status">
      {count > 0 ? (
        <button type="button" className="pill" disabled={busy} onClick={() => start(() => router.refresh())}>
          {count >= 100 ? "100 or more" : count} new, show
        </button>
      ) : null}
    </div>
  );
}

async function countNew(query: string, cursor: string, signal: AbortSignal): Promise<number> {
  const search = new URLSearchParams(query);
  search.set("after", cursor);
  const response = await fetch(`/inbox/new?${search}`, { signal, redirect: "manual", cache: "no-store" });
  if (!response.ok) return 0;
  return ((await response.json()) as { count: number }).count;
}
