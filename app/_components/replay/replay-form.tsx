"use client";

import { Dialog } from "@base-ui/react/dialog";
import { type FormEvent, useEffect, useState } from "react";
import type { ReplayChoice } from "#lib/console/invoice-facts.ts";
import { revealPlain } from "#lib/console/text.ts";
import { type ReplayState, useReplay } from "./use-replay.ts";
import { Verdict } from "./verdict.tsx";

type Props = { choices: ReplayChoice[]; onBusy: (busy: boolean) => void };

export function ReplayForm({ choices, onBusy }: Props) {
  const [chosen, setChosen] = useState(choices[0]!.id);
  const [reason, setReason] = useState("");
  const { state, foresee, replay } = useReplay();
  const busy = state.step === "replaying";
  useEffect(() => void foresee(chosen), [chosen]);
  useEffect(() => onBusy(busy), [busy, onBusy]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (state.step === "foreseen") void replay(chosen, reason.trim(), state.verdict);
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {choices.length > 1 ? (
        <label className="grid gap-1 text-2">
          <span className="text-ink-2">Event</span>
          <select
            className="field"
            value={chosen}
            disabled={busy || state.step === "replayed"}
            onChange={(event) => setChosen(event.target.value)}
          >
            {choices.map(({ id, label }) => (
              <option key={id} value={id}>
                {revealPlain(label)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <ReplayStatus state={state} />
      {state.step === "replayed" || (state.step === "failed" && state.verdict) ? null : (
        <label className="grid gap-1 text-2">
          <span className="text-ink-2">Reason, kept with the attempt</span>
          <input
            className="field"
            value={reason}
            maxLength={500}
            required
            disabled={busy}
            placeholder="customer asked"
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
      )}
      <div className="flex justify-end gap-2">
        <Dialog.Close className="btn" disabled={busy}>
          {state.step === "replayed" ? "Close" : "Cancel"}
        </Dialog.Close>
        {state.step === "replayed" ? null : (
          <button
            type="submit"
            className="btn main"
            disabled={state.step !== "foreseen" || reason.trim() === ""}
          >
            {busy ? "Replaying…" : "Replay"}
          </button>
        )}
      </div>
    </form>
  );
}

/** Read out as it changes: the verdict before, the outcome after, or what went wrong. */
function ReplayStatus({ state }: { state: ReplayState }) {
  return (
    <div className="panel" role="status" aria-live="polite">
      <div className="part">
        <p className="text-1 text-ink-3 mb-1">{HEADINGS[state.step]}</p>
        {state.step === "foreseeing" ? (
          <p className="text-2 text-ink-2">Asking what it would come to…</p>
        ) : null}
        {state.step === "foreseen" || state.step === "replaying" ? <Verdict answer={state.verdict} /> : null}
        {state.step === "replayed" ? <Verdict answer={state.outcome} /> : null}
        {state.step === "failed" ? <p className="text-2 text-bad">! {state.message}</p> : null}
      </div>
    </div>
  );
}

const HEADINGS: Record<ReplayState["step"], string> = {
  foreseeing: "Verdict",
  foreseen: "Verdict, nothing was changed",
  replaying: "Verdict",
  replayed: "Outcome",
  failed: "Not done",
};
