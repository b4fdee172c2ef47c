"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useEffect, useRef } from "react";
import { goHref } from "#lib/console/links.ts";
import { isTyping } from "./is-typing.ts";

/** Leads from any id to its page. `/` jumps here; without script the form does the same through /go?id=. */
export function FindBox() {
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "/" || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const id = input.current?.value.trim();
    if (id) router.push(goHref(id));
  };
  return (
    <search className="find">
      <form action="/go" onSubmit={submit}>
        <input
          ref={input}
          name="id"
          type="text"
          inputMode="search"
          className="field"
          placeholder="Find any id"
          aria-label="Find an event, invoice or workspace by any id"
          autoComplete="off"
          spellCheck={false}
          onKeyDown={(event) => event.key === "Escape" && input.current?.blur()}
        />
      </form>
    </search>
  );
}
