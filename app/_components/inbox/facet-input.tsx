"use client";

import { type KeyboardEvent, useRef } from "react";

type Props = {
  label: string;
  className: string;
  value: string | null;
  onChange: (value: string | null) => void;
};

/** A text filter. Takes effect with Enter or on leaving it, not with each letter: every change is a query. */
export function FacetInput({ label, className, value, onChange }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const commit = () => {
    const text = input.current?.value.trim() || null;
    if (text !== value) onChange(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") commit();
    if (event.key !== "Escape" || !input.current) return;
    input.current.value = value ?? "";
    input.current.blur();
  };
  return (
    <input
      // A value that changed from elsewhere (back, Clear) makes the field anew.
      key={value ?? ""}
      ref={input}
      type="text"
      inputMode="search"
      className={className}
      placeholder={label}
      aria-label={label}
      defaultValue={value ?? ""}
      autoComplete="off"
      spellCheck={false}
      onKeyDown={onKeyDown}
      onBlur={commit}
    />
  );
}
