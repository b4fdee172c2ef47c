"use client";

import { use } from "react";
import { countOf } from "#lib/console/text.ts";
import { relative } from "#lib/console/time.ts";
import { useNow } from "../use-now.ts";
import { usePulse } from "./pulse-context.tsx";

/** "2 workers, seen 1 s ago"; plain words when there is none, for then nothing is processed. */
export function WorkersSeen() {
  const { initial, latest } = usePulse();
  const pulse = latest ?? use(initial);
  const now = useNow(pulse?.now ?? 0);
  if (!pulse) return <span className="text-bad">! Database not reached</span>;
  const seen = pulse.workerSeenAt === null ? null : relative(Math.min(pulse.workerSeenAt, now), now);
  if (pulse.workers === 0) {
    return <span className="text-bad">! No worker{seen ? `, last seen ${seen}` : " has run yet"}</span>;
  }
  return (
    <span className="num">
      {countOf(pulse.workers, "worker")}, seen {seen}
    </span>
  );
}
