import type { Problem } from "#lib/console/problem.ts";
import { Badge } from "./badge.tsx";
import { RetryButton } from "./retry-button.tsx";
import { AutoRefresh } from "./shell/auto-refresh.tsx";

/** A read that failed. Never an empty list: nobody may take an outage for peace and quiet. */
export function ProblemPanel({ problem, what }: { problem: Problem; what: string }) {
  return (
    <section className="panel" role="alert" aria-label={`${what}: not available`}>
      <div className="blank">
        <p className="mb-2">
          <Badge badge={{ tone: "bad", glyph: "!", word: "not available" }} />
        </p>
        <b>{problem.title}</b>
        <p className="mb-3">{problem.advice}</p>
        <RetryButton />
        {problem.passes ? <AutoRefresh on="beat" /> : null}
      </div>
    </section>
  );
}
