import { z } from "zod";
import { checkUrl } from "#lib/outbound/check-url.ts";
import type { HttpResult } from "#lib/outbound/types.ts";
import { judgeHttp } from "./judge-http.ts";
import { blameDestination, failAttempt, NOTHING_SENT, reject } from "./outcomes.ts";
import { writeForPeople } from "./render/people.ts";
import { escapeSlack } from "./text.ts";
import type { Channel, SendOutcome, Target } from "./types.ts";

const content = z.strictObject({ text: z.string().min(1) });

/** Answers that say that Slack understood and posted nothing. */
const NOT_POSTED = /^(rollup_error|fatal_error)/;

/**
 * An incoming webhook. Slack knows no keys: a message whose answer was lost may stand in the channel already, and a second
 * one would too, so its outcome is unknown and not simply tried again.
 */
export const slack: Channel = {
  name: "slack",
  label: "Slack message",
  policies: ["review", "duplicate-ok"],
  keyLifetimeSeconds: null,
  timeoutSeconds: 15,
  checkTarget,
  missingSetup: () => null,
  render(notice) {
    const { title, lines, link } = writeForPeople(notice);
    return { ok: true, content: { text: escapeSlack([title, ...lines, link].join("\n")) } };
  },
  async send(message, target, { outbound, signal }) {
    const problem = checkTarget(target, outbound);
    if (problem) return blameDestination(NOTHING_SENT, "bad_target", problem);
    const parsed = content.safeParse(message.content);
    if (!parsed.success) return reject(NOTHING_SENT, "bad_content", "the frozen content is no Slack message");
    const result = await outbound.post({
      url: target.url!,
      // No unfurling: a preview would make Slack fetch pages of ours.
      body: JSON.stringify({ text: parsed.data.text, unfurl_links: false, unfurl_media: false }),
      headers: { "content-type": "application/json; charset=utf-8", "user-agent": "Counterfoil" },
      signal,
      // A kept connection that dies under a request would look like a lost answer.
      reuseConnection: false,
    });
    return judge(result, judgeHttp(result, message.now, false));
  },
};

/** Where Slack says more than HTTP does: a message it will never take, and a 500 that names its own failure. */
function judge(result: HttpResult, outcome: SendOutcome): SendOutcome {
  if (result.kind !== "answered") return outcome;
  if (result.status === 400 || result.status === 413)
    return reject(outcome, "status", `Slack answered ${result.status}: it does not take this message`);
  if (result.status >= 500 && NOT_POSTED.test(result.body))
    return failAttempt(outcome, "status", `Slack answered ${result.status} and posted nothing`);
  return outcome;
}

function checkTarget(target: Target, { allow }: Parameters<Channel["checkTarget"]>[1]): string | null {
  if (!target.url) return "a Slack destination needs the url of an incoming webhook";
  const url = checkUrl(target.url, ["https:", "http:"], allow);
  return url.ok ? null : url.why;
}
