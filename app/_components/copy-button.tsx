"use client";

import { useState } from "react";

/** Copies a text, or the address of this page. Says so on the button itself. */
export function CopyButton({ text, children }: { text?: string; children: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text ?? window.location.href).catch(() => undefined);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button type="button" className="btn max-phone:hidden" onClick={copy}>
      <span aria-live="polite">{copied ? "Copied" : children}</span>
    </button>
  );
}
