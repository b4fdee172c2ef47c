"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useEffect, useState } from "react";
import { isTyping } from "./is-typing.ts";

const KEYS = [
  ["/", "Find any id"],
  ["?", "Show these keys"],
  ["Esc", "Close, or leave a field"],
  ["Tab", "To the next link or control; Shift and Tab back"],
  ["Enter", "Open the row that has the focus"],
] as const;

/** `?` shows which keys there are. */
export function KeysHelp() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "?" && !isTyping(event)) setOpen(true);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="max-phone:hidden">Keys: ?</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop z-20" />
        <Dialog.Popup className="popup dialog z-20">
          <Dialog.Title className="text-4 font-semibold mb-3">Keys</Dialog.Title>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-2 mb-4">
            {KEYS.map(([key, what]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <Dialog.Close className="btn">Close</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
