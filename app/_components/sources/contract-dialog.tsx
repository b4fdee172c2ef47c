"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useActionState, useState } from "react";
import { type FormProblem, ProblemList } from "./problem-list.tsx";

export type ContractAction = (text: string) => Promise<FormProblem | null>;

/** Another contract, pasted whole. What is wrong with it is said line by line. */
export function ContractDialog({ action }: { action: ContractAction }) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="btn">Replace…</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop z-20" />
        <Dialog.Popup className="popup dialog z-20">
          <Dialog.Title className="text-4 font-semibold mb-1">Replace the contract</Dialog.Title>
          <Dialog.Description className="text-2 text-ink-2 mb-4">
            The whole document as JSON; what a preset says may be left out, and empty is the preset alone. It
            holds from the next request on.
          </Dialog.Description>
          <ContractForm action={action} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function ContractForm({ action, onDone }: { action: ContractAction; onDone: () => void }) {
  const [text, setText] = useState("");
  const [problem, submit, busy] = useActionState<FormProblem | null>(async () => {
    try {
      const refused = await action(text);
      if (refused === null) onDone();
      return refused;
    } catch {
      return { message: "The server did not answer. Look at the contract before another try." };
    }
  }, null);
  return (
    <form action={submit} className="grid gap-4">
      <textarea
        className="field mono"
        rows={12}
        aria-label="Contract as JSON"
        placeholder='{"version":1,"verification":{…},"event":{…}}'
        spellCheck={false}
        maxLength={100_000}
        value={text}
        disabled={busy}
        onChange={(event) => setText(event.target.value)}
      />
      <ProblemList problem={problem} />
      <div className="flex justify-end gap-2">
        <Dialog.Close className="btn" disabled={busy}>
          Cancel
        </Dialog.Close>
        <button type="submit" className="btn main" disabled={busy}>
          {busy ? "Checking…" : "Replace"}
        </button>
      </div>
    </form>
  );
}
