"use client";

import { useEffect, useRef } from "react";
import { ErrorNotice } from "../_components/error-notice.tsx";
import { usePulse } from "../_components/shell/pulse-context.tsx";

/** Inside the frame, so that the way to every other page stays open. Comes back when the server answers again. */
export default function ConsoleError({ error, retry }: { error: unknown; retry: () => void }) {
  const { beat } = usePulse();
  const seen = useRef(beat);
  useEffect(() => {
    if (beat === seen.current) return;
    seen.current = beat;
    retry();
  }, [beat, retry]);
  return <ErrorNotice error={error} retry={retry} />;
}
