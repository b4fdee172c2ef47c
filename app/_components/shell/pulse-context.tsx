"use client";

import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import type { Pulse } from "#lib/console/pulse.ts";

/** live: an answer came. paused: the tab is hidden, nothing is asked. lost: the server does not answer. */
export type Contact = "live" | "paused" | "lost";

type State = {
  /** What the server rendered with; null when it could not tell. */
  initial: Promise<Pulse | null>;
  latest: Pulse | null;
  contact: Contact;
  /** Counts the answers. */
  beat: number;
};

const Context = createContext<State | null>(null);

const EVERY_MS = 5_000;

/** One small request every five seconds while the tab is visible; all live parts of a page hang on it. */
export function PulseProvider({
  initial,
  children,
}: {
  initial: Promise<Pulse | null>;
  children: ReactNode;
}) {
  const [state, setState] = useState<Omit<State, "initial">>({ latest: null, contact: "live", beat: 0 });
  useEffect(() => {
    const abort = new AbortController();
    let asking = false;
    const ask = async () => {
      if (asking) return;
      if (document.visibilityState === "hidden") return setState((old) => ({ ...old, contact: "paused" }));
      asking = true;
      const latest = await fetchPulse(abort.signal);
      asking = false;
      if (abort.signal.aborted) return;
      setState((old) =>
        latest ? { latest, contact: "live", beat: old.beat + 1 } : { ...old, contact: "lost" },
      );
    };
    const timer = setInterval(ask, EVERY_MS);
    document.addEventListener("visibilitychange", ask);
    return () => {
      abort.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", ask);
    };
  }, []);
  return <Context value={{ initial, ...state }}>{children}</Context>;
}

async function fetchPulse(signal: AbortSignal): Promise<Pulse | null> {
  try {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
    // A redirect leads to /enter: the token is no longer good. Followed by hand, or the page would seem alive.
    const response = await fetch("/pulse", { signal: timeout, redirect: "manual", cache: "no-store" });
    return response.ok ? ((await response.json()) as Pulse) : null;
  } catch {
    return null;
  }
}

export function usePulse(): State {
  const state = useContext(Context);
  if (!state) throw new Error("usePulse needs a PulseProvider above it");
  return state;
}
