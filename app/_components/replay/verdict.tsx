import { namedBadge } from "#lib/console/badge.ts";
import { Badge } from "../badge.tsx";
import { OutsideText } from "../outside-text.tsx";
import type { ReplayAnswer } from "./replay-api.ts";

/** What each verdict means for the balance, in plain words. */
const MEANING: Record<string, string> = {
  would_apply: "A replay would apply the effect now.",
  applied: "The effect was applied by this replay.",
  already_applied: "The effect is there already. A replay changes nothing.",
  not_eligible: "Nothing is due for this event. A replay changes nothing.",
  blocked: "Something else has to be decided or set up first.",
  stale: "Something newer is there already. A replay changes nothing.",
  linked: "Only a link is kept. A replay moves no credits.",
};

export function Verdict({ answer }: { answer: ReplayAnswer }) {
  return (
    <>
      <p className="mb-1">
        <Badge badge={namedBadge(answer.verdict)} />
      </p>
      <p className="text-3">{MEANING[answer.verdict] ?? ""}</p>
      <p className="text-2 text-ink-2 [overflow-wrap:anywhere]">
        <OutsideText>{answer.why}</OutsideText>
      </p>
    </>
  );
}
