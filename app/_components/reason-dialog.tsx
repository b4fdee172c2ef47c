"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useActionState, useState } from "react";

/** Returns why it was refused, or null when it was done. */
export type ReasonAction = (reason: string) => Promise<string | null>;

type Props = {
  /** What the button says, and what the dialog does: "Pause…" and "Pause this source". */
  word: string;
  title: string;
  children: string;
  confirm: string;
  action: ReasonAction;
  className?: string;
};

/** A button that asks for a reason before it does anything. */
export function ReasonDialog({ word, title, children, confirm, action, className = "btn" }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className={className}>{word}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop z-20" />
        <Dialog.Popup className="popup dialog z-20">
          <Dialog.Title className="text-4 font-semibold mb-1">{title}</Dialog.Title>
          <Dialog.Description className="text-2 text-ink-2 mb-4">{children}</Dialog.Description>
          <ReasonForm confirm={confirm} action={action} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type FormProps = { confirm: string; action: ReasonAction; onDone: () => void };

function ReasonForm({ confirm, action, onDone }: FormProps) {
  const [reason, setReason] = useState("");
  const [problem, submit, busy] = useActionState(async () => {
    try {
      const refused = await action(reason.trim());
      if (refused === null) onDone();
      return refused;
    } catch {
      return "The server did not answer. Look at the page again before another try: it may have happened.";
    }
  }, null);
  return (
    <form action={submit} className="grid gap-4">
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
        <p role="alert" className="text-2 text-bad [overflow-wrap:anywhere]">
          ! {problem}
        </p>
      ) : null}
      <div className="flex justify-end gap-2">
        <Dialog.Close className="btn" disabled={busy}>
          Cancel
        </Dialog.Close>
        <button type="submit" className="btn main" disabled={busy || reason.trim() === ""}>
          {busy ? "A moment…" : confirm}
        </button>
      </div>
    </form>
  );
}
