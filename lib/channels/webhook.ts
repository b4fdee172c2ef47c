import { z } from "zod";
import { checkUrl } from "#lib/outbound/check-url.ts";
import { standardWebhooks } from "#lib/sources/standard-webhooks.ts";
import { judgeHttp } from "./judge-http.ts";
import { blameDestination, NOTHING_SENT, reject } from "./outcomes.ts";
import { writeForPrograms } from "./render/programs.ts";
import type { Channel, Target } from "./types.ts";

const content = z.strictObject({ body: z.string().min(2) });

/**
 * Standard Webhooks. The id comes from the message and stays; timestamp and signature are made anew for each attempt, so
 * that a late one is not stale; the bytes are the frozen ones. At least once: receivers know repeats by webhook-id.
 */
export const webhook: Channel = {
  name: "webhook",
  label: "webhook",
  policies: ["duplicate-ok", "idempotent", "review"],
  // The standard asks receivers to remember ids and names no time: what is sure is the window in which we repeat.
  keyLifetimeSeconds: 72 * 3600,
  timeoutSeconds: 20,
  checkTarget,
  missingSetup: () => null,
  render: writeForPrograms,
  async send(message, target, { outbound, signal, policy }) {
    const problem = checkTarget(target, outbound);
    if (problem) return blameDestination(NOTHING_SENT, "bad_target", problem);
    const parsed = content.safeParse(message.content);
    if (!parsed.success) return reject(NOTHING_SENT, "bad_content", "the frozen content is no webhook body");
    const { body } = parsed.data;
    const result = await outbound.post({
      url: target.url!,
      body,
      signal,
      headers: {
        "content-type": "application/json",
        "user-agent": "Counterfoil",
        ...standardWebhooks.sign({
          id: message.id,
          body: Buffer.from(body),
          secret: { text: target.secret!.trim(), fingerprint: "" },
          now: message.now,
          contract: null,
        }),
      },
    });
    return judgeHttp(result, message.now, policy === "duplicate-ok" || policy === "idempotent");
  },
};

function checkTarget(target: Target, { allow }: Parameters<Channel["checkTarget"]>[1]): string | null {
  if (!target.url) return "a webhook destination needs a url";
  const url = checkUrl(target.url, ["https:", "http:"], allow);
  if (!url.ok) return url.why;
  if (!target.secret)
    return "a webhook destination needs a secret (whsec_…), with which its messages are signed";
  return standardWebhooks.checkSecret(target.secret.trim());
}
