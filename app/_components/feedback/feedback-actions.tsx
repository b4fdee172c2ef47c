"use client";

import { useState, useTransition } from "react";
import type { FeedbackStatus } from "#db/states.ts";

type Key = { source: string; project: string; feedback: string };
export type MoveFeedback = (key: Key, version: number, what: string) => Promise<string | null>;

type Props = { feedback: Key; version: number; status: FeedbackStatus; move: MoveFeedback };

const STEPS: Record<FeedbackStatus, { what: string; word: string }[]> = {
  new: [
    { what: "acknowledge", word: "Acknowledge" },
    { what: "assign", word: "Take" },
    { what: "resolve", word: "Resolve" },
  ],
  escalated: [
    { what: "acknowledge", word: "Acknowledge" },
    { what: "assign", word: "Take" },
    { what: "resolve", word: "Resolve" },
  ],
  acknowledged: [
    { what: "assign", word: "Take" },
    { what: "resolve", word: "Resolve" },
  ],
  assigned: [
    { what: "assign", word: "Take" },
    { what: "resolve", word: "Resolve" },
  ],
  resolved: [{ what: "reopen", word: "Reopen" }],
};

/** What can be done next; each is done on the version that is shown. */
export function FeedbackActions({ feedback, version, status, move }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, start] = useTransition();
  const go = (what: string) =>
    start(async () => {
      try {
        setProblem(await move(feedback, version, what));
      } catch {
        setProblem("It could not be done. Try again in a moment.");
      }
    });
  return (
    <span className="flex flex-wrap gap-2">
      {STEPS[status].map(({ what, word }) => (
        <button key={what} type="button" className="btn" disabled={busy} onClick={() => go(what)}>
          {word}
          <span className="sr-only"> {feedback.feedback}</span>
        </button>
      ))}
      {problem ? (
        <span role="alert" className="text-1 text-bad">
          ! {problem}
        </span>
      ) : null}
    </span>
  );
}
