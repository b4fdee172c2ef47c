"use client";

import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { type BulkRequest, type Frozen, freeze, type Started, start, undo } from "./bulk-api.ts";

export type BulkState =
  | { step: "asking"; problem: string | null }
  | { step: "frozen"; request: BulkRequest; frozen: Frozen; problem: string | null }
  | { step: "started"; frozen: Frozen; started: Started; problem: string | null }
  | { step: "undone" };

/** A reason, then what exactly is covered, then the start, then five seconds to undo it. Each step once. */
export function useBulk() {
  const router = useRouter();
  const [state, setState] = useState<BulkState>({ step: "asking", problem: null });
  const [busy, setBusy] = useState(false);
  // State is a render behind: of two quick clicks, both would see the old one.
  const running = useRef(false);

  async function once(work: () => Promise<void>): Promise<void> {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    await work();
    running.current = false;
    setBusy(false);
  }

  const ask = (request: BulkRequest) =>
    once(async () => {
      const result = await freeze(request);
      setState(
        result.ok
          ? { step: "frozen", request, frozen: result.value, problem: null }
          : { step: "asking", problem: result.message },
      );
    });

  const confirm = (state: Extract<BulkState, { step: "frozen" }>) =>
    once(async () => {
      const result = await start(state.request, state.frozen);
      setState(
        result.ok
          ? { step: "started", frozen: state.frozen, started: result.value, problem: null }
          : { ...state, problem: result.message },
      );
    });

  const takeBack = (state: Extract<BulkState, { step: "started" }>) =>
    once(async () => {
      const result = await undo(state.frozen.operation);
      if (result.ok && result.value.undone) setState({ step: "undone" });
      else
        setState({
          ...state,
          problem: result.ok ? "It had begun: the rest of it was cancelled." : result.message,
        });
      router.refresh();
    });

  return { state, busy, ask, confirm, takeBack };
}
