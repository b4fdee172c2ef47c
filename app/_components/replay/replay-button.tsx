"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import type { ReplayChoice } from "#lib/console/invoice-facts.ts";
import { ReplayForm } from "./replay-form.tsx";

/** Opens the dialog. It can be closed at any time except while a replay is under way. */
export function ReplayButton({ choices }: { choices: ReplayChoice[] }) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => setOpen(busy || next)}>
      <Dialog.Trigger className="btn main" disabled={choices.length === 0}>
        Replay…
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop z-20" />
        <Dialog.Popup className="popup dialog z-20">
          <Dialog.Title className="text-4 font-semibold mb-1">Replay this event</Dialog.Title>
          <Dialog.Description className="text-2 text-ink-2 mb-4">
            It goes through the same decision as when it came. What is there already is not done twice.
          </Dialog.Description>
          <ReplayForm choices={choices} onBusy={setBusy} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
