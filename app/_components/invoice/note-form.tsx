"use client";

import { useActionState, useState } from "react";

type Props = { action: (text: string) => Promise<string | null>; limit: number };

/** One more note. The text stays in the field until it is kept. */
export function NoteForm({ action, limit }: Props) {
  const [text, setText] = useState("");
  const [problem, submit, busy] = useActionState(async () => {
    try {
      const refused = await action(text);
      if (refused === null) setText("");
      return refused;
    } catch {
      return "The note could not be kept. Try again in a moment.";
    }
  }, null);
  return (
    <form action={submit} className="grid gap-2">
      <textarea
        className="field"
        rows={text ? 3 : 1}
        maxLength={limit}
        placeholder="Write a note…"
        aria-label="Write a note"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {problem ? (
        <p role="alert" className="text-1 text-bad">
          ! {problem}
        </p>
      ) : null}
      {text.trim() ? (
        <button type="submit" className="btn justify-self-start" disabled={busy}>
          {busy ? "Keeping…" : "Keep note"}
        </button>
      ) : null}
    </form>
  );
}
