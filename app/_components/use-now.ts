"use client";

import { useEffect, useState } from "react";

/**
 * The server's clock, carried on. Starts from what the server rendered with, so that both sides draw the same text,
 * and takes only lengths of time from this machine, whose clock may be wrong.
 */
export function useNow(serverNow: number, every = 1_000): number {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    const start = performance.now();
    setPassed(0);
    const timer = setInterval(() => setPassed(performance.now() - start), every);
    return () => clearInterval(timer);
  }, [serverNow, every]);
  return serverNow + passed;
}
