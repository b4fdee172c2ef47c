"use client";

import Link from "next/link";
import { useActionState } from "react";
import type { TestReport } from "#lib/admin/send-test-event.ts";
import { eventHref } from "#lib/console/links.ts";
import { Badge } from "../badge.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

export type TestState = { ok: true; report: TestReport } | { ok: false; message: string } | null;

/** One signed event without effect, through the front door, and what its answer proves. */
export function TestPanel({ action }: { action: () => Promise<TestState> }) {
  const [state, submit, busy] = useActionState<TestState>(async () => {
    try {
      return await action();
    } catch {
      return { ok: false, message: "The server did not answer." };
    }
  }, null);
  return (
    <Panel title="Test">
      <div className="part">
        <p className="text-ink-2 mb-3">
          Signs an event of a type that nothing handles with the newest secret and posts it to this source. No
          credits move.
        </p>
        <form action={submit}>
          <button type="submit" className="btn" disabled={busy}>
            {busy ? "Sending…" : "Send a test event"}
          </button>
        </form>
      </div>
      <div role="status" aria-live="polite">
        {state ? (
          <div className="part border-t border-line">
            {state.ok ? <Report report={state.report} /> : <p className="text-bad">! {state.message}</p>}
          </div>
        ) : null}
      </div>
    </Panel>
  );
}

function Report({ report: { answer, event, proves, type } }: { report: TestReport }) {
  return (
    <>
      <p className="mb-1">
        <Badge
          badge={
            event
              ? { tone: "ok", glyph: "✓", word: `answered ${answer?.status}` }
              : { tone: "bad", glyph: "!", word: answer ? `answered ${answer.status}` : "no answer" }
          }
        />
        {answer ? <span className="text-1 text-ink-3"> after {answer.ms} ms</span> : null}
      </p>
      <p className="mb-2">
        <OutsideText>{proves}</OutsideText>
      </p>
      {answer ? (
        <p className="text-ink-2 mb-2 [overflow-wrap:anywhere]">
          <Id full>{answer.body}</Id>
        </p>
      ) : null}
      {event ? (
        <p>
          <Link className="link" href={eventHref(event)}>
            Open the event<span className="sr-only"> of type {type}</span>
          </Link>
        </p>
      ) : null}
      <p className="text-1 text-ink-3 mt-2">
        It does not prove that the sender has the same secret, or that it reaches the public address.
      </p>
    </>
  );
}
