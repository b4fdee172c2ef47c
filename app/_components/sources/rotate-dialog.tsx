"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useActionState, useState } from "react";
import { Field } from "./field.tsx";

export type RotateInput = { secret: string; overlapSeconds: number; reason: string };
export type RotateAction = (input: RotateInput) => Promise<string | null>;

type Props = { hint: string; hasSecret: boolean; action: RotateAction };

const OVERLAPS: [seconds: number, word: string][] = [
  [0, "not at all"],
  [3_600, "for an hour"],
  [86_400, "for a day"],
  [7 * 86_400, "for a week"],
  [30 * 86_400, "for 30 days"],
];

/** A new secret, pasted once. It goes one way: nothing ever shows it again. */
export function RotateDialog({ hint, hasSecret, action }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="btn">{hasSecret ? "Rotate…" : "Enter a secret…"}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop z-20" />
        <Dialog.Popup className="popup dialog z-20">
          <Dialog.Title className="text-4 font-semibold mb-1">
            {hasSecret ? "Rotate the secret" : "Enter the secret"}
          </Dialog.Title>
          <Dialog.Description className="text-2 text-ink-2 mb-4">
            The new one is taken at once. It is kept encrypted and is never shown again.
          </Dialog.Description>
          <RotateForm hint={hint} hasSecret={hasSecret} action={action} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** No field has a name: a form that is sent before its script runs must not put a secret into an address. */
function RotateForm({ hint, hasSecret, action, onDone }: Props & { onDone: () => void }) {
  const [secret, setSecret] = useState("");
  const [overlap, setOverlap] = useState(hasSecret ? 86_400 : 0);
  const [reason, setReason] = useState("");
  const [problem, submit, busy] = useActionState(async () => {
    try {
      const refused = await action({ secret, overlapSeconds: overlap, reason: reason.trim() });
      if (refused === null) onDone();
      return refused;
    } catch {
      return "The server did not answer. Look at the fingerprints before another try: it may have happened.";
    }
  }, null);
  return (
    <form action={submit} className="grid gap-4">
      <Field label="New signing secret" hint={hint}>
        {(ties) => (
          <input
            {...ties}
            className="field mono"
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={secret}
            maxLength={4096}
            required
            disabled={busy}
            onChange={(event) => setSecret(event.target.value)}
          />
        )}
      </Field>
      {hasSecret ? (
        <label className="grid gap-1 text-2">
          <span className="text-ink-2">Those before it are still taken</span>
          <select
            className="field"
            value={overlap}
            disabled={busy}
            onChange={(event) => setOverlap(Number(event.target.value))}
          >
            {OVERLAPS.map(([seconds, word]) => (
              <option key={seconds} value={seconds}>
                {word}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <label className="grid gap-1 text-2">
        <span className="text-ink-2">Reason, kept in the audit log</span>
        <input
          className="field"
          value={reason}
          maxLength={1000}
          required
          disabled={busy}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      {problem ? (
        <p role="alert" className="text-2 text-bad">
          ! {problem}
        </p>
      ) : null}
      <div className="flex justify-end gap-2">
        <Dialog.Close className="btn" disabled={busy}>
          Cancel
        </Dialog.Close>
        <button
          type="submit"
          className="btn main"
          disabled={busy || secret.trim() === "" || reason.trim() === ""}
        >
          {busy ? "A moment…" : hasSecret ? "Rotate" : "Keep"}
        </button>
      </div>
    </form>
  );
}
