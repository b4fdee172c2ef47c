"use client";

import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { callReplay, type ReplayAnswer } from "./replay-api.ts";

export type ReplayState =
  | { step: "foreseeing" }
  | { step: "foreseen"; verdict: ReplayAnswer }
  | { step: "replaying"; verdict: ReplayAnswer }
  | { step: "replayed"; outcome: ReplayAnswer }
  | { step: "failed"; message: string; verdict: ReplayAnswer | null };

const FORESIGHT = "Foresight before a replay";

/** The steps of a replay: first what it would come to, then, asked for with a reason, the replay itself, once. */
export function useReplay() {
  const router = useRouter();
  const [state, setState] = useState<ReplayState>({ step: "foreseeing" });
  // State is a render behind: of two quick clicks, both would see the old one.
  const running = useRef(false);
  const asked = useRef(0);

  const foresee = async (id: string) => {
    const mine = ++asked.current;
    setState({ step: "foreseeing" });
    const result = await callReplay(id, FORESIGHT, true);
    if (mine !== asked.current) return;
    setState(
      result.ok
        ? { step: "foreseen", verdict: result.answer }
        : { step: "failed", message: result.message, verdict: null },
    );
  };

  const replay = async (id: string, reason: string, verdict: ReplayAnswer) => {
    if (running.current) return;
    running.current = true;
    setState({ step: "replaying", verdict });
    const result = await callReplay(id, reason, false);
    running.current = false;
    setState(
      result.ok
        ? { step: "replayed", outcome: result.answer }
        : { step: "failed", message: result.message, verdict },
    );
    router.refresh();
  };

  return { state, foresee, replay };
}
