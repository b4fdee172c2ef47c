"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { BulkForm } from "./bulk-form.tsx";

export type BulkWords = {
  action: string;
  /** "Replay", "Dismiss". */
  verb: string;
  /** What it does to each event, one sentence. */
  effect: string;
};

type Props = {
  words: BulkWords;
  /** "48 events", as far as it is known before the dry run. */
  what: string;
  filter: Record<string, unknown>;
  main?: boolean;
  /** After the dialog was closed with something started. */
  onStarted: () => void;
};

/** A bulk action, named by what it does to how many. */
export function BulkButton({ words, what, filter, main, onStarted }: Props) {
  const [open, setOpen] = useState(false);
  const [hasStarted, setHasStarted] = useState(false);
  const change = (next: boolean) => {
    setOpen(next);
    if (!next && hasStarted) {
      setHasStarted(false);
      onStarted();
    }
  };
  return (
    <Dialog.Root open={open} onOpenChange={change}>
      <Dialog.Trigger className={main ? "btn main" : "btn"}>
        {words.verb} {what}…
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop z-20" />
        <Dialog.Popup className="popup dialog z-20">
          <Dialog.Title className="text-4 font-semibold mb-1">
            {words.verb} {what}
          </Dialog.Title>
          <Dialog.Description className="text-2 text-ink-2 mb-4">{words.effect}</Dialog.Description>
          <BulkForm words={words} filter={filter} onStarted={() => setHasStarted(true)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
