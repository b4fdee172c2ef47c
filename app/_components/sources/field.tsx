"use client";

import { type ReactNode, useId } from "react";

type Props = {
  label: string;
  hint: string;
  /** The control, with what ties it to its label and its hint. */
  children: (ties: { id: string; "aria-describedby": string }) => ReactNode;
};

/** A control with its label above and what it wants below; the hint is no part of its name. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="grid gap-1 text-2 content-start">
      <label htmlFor={id} className="text-ink-2">
        {label}
      </label>
      {children({ id, "aria-describedby": hintId })}
      <p id={hintId} className="text-1 text-ink-3 [overflow-wrap:anywhere]">
        {hint}
      </p>
    </div>
  );
}
