"use client";

import { Dialog } from "@base-ui/react/dialog";
import Link from "next/link";
import { type FormEvent, useEffect, useState } from "react";
import { operationHref } from "#lib/console/links.ts";
import { number } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import { useNow } from "../use-now.ts";
import type { BulkWords } from "./bulk-button.tsx";
import { type BulkState, useBulk } from "./use-bulk.ts";

type Props = { words: BulkWords; filter: Record<string, unknown>; onStarted: () => void };

export function BulkForm({ words: { action, verb }, filter, onStarted }: Props) {
  const [reason, setReason] = useState("");
  const { state, busy, ask, confirm, takeBack } = useBulk();
  useEffect(() => {
    if (state.step === "started") onStarted();
  }, [state.step, onStarted]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (state.step === "asking") void ask({ action, filter, reason: reason.trim() });
    if (state.step === "frozen") void confirm(state);
    if (state.step === "started") void takeBack(state);
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {state.step === "asking" ? (
        <label className="grid gap-1 text-2">
          <span className="text-ink-2">Reason, kept with the operation and each event</span>
          <input
            className="field"
            value={reason}
            maxLength={1000}
            required
            disabled={busy}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
      ) : null}
      <Status state={state} verb={verb} />
      <div className="flex justify-end gap-2">
        <Dialog.Close className="btn" disabled={busy}>
          {state.step === "started" || state.step === "undone" ? "Close" : "Cancel"}
        </Dialog.Close>
        {state.step === "started" ? (
          <Link className="btn" href={operationHref(state.frozen.operation)}>
            Follow it
          </Link>
        ) : null}
        <Submit state={state} verb={verb} disabled={busy || (state.step === "asking" && !reason.trim())} />
      </div>
    </form>
  );
}

function Submit({ state, verb, disabled }: { state: BulkState; verb: string; disabled: boolean }) {
  switch (state.step) {
    case "asking":
      return (
        <button type="submit" className="btn main" disabled={disabled}>
          Count them
        </button>
      );
    case "frozen":
      return (
        <button type="submit" className="btn main" disabled={disabled}>
          {verb} {events(state.frozen.count)}
        </button>
      );
    case "started":
      return <Undo startsAt={state.started.startsAt} disabled={disabled || state.problem !== null} />;
    case "undone":
      return null;
    default:
      return state satisfies never;
  }
}

/** Gone once it is too late. The server decides, whatever this clock says. */
function Undo({ startsAt, disabled }: { startsAt: string; disabled: boolean }) {
  const now = useNow(Date.now(), 250);
  const left = Math.min(5, Math.ceil((toMillis(startsAt) - now) / 1000));
  if (left <= 0) return null;
  return (
    <button type="submit" className="btn main" disabled={disabled}>
      Undo, {left} s
    </button>
  );
}

const events = (count: number) => (count === 1 ? "1 event" : `${number(count)} events`);

/** Read out as it changes. */
function Status({ state, verb }: { state: BulkState; verb: string }) {
  return (
    <div role="status" aria-live="polite" className="text-2">
      {state.step === "frozen" ? (
        <p>
          Exactly <b className="font-semibold num">{events(state.frozen.count)}</b>. What comes later is
          outside; what changes meanwhile is skipped and reported.
        </p>
      ) : null}
      {state.step === "started" ? (
        <p>
          {verb} {events(state.frozen.count)}: it begins in a few seconds, and can be undone until then.
        </p>
      ) : null}
      {state.step === "undone" ? <p>Undone. Nothing was changed.</p> : null}
      {state.step !== "undone" && state.problem ? (
        <p className="text-bad [overflow-wrap:anywhere]">! {state.problem}</p>
      ) : null}
    </div>
  );
}
