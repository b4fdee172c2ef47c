import { z } from "zod";
import { NOTHING_SENT, reject, waitForSetup } from "./outcomes.ts";
import { writeForPeople } from "./render/people.ts";
import { composeMail } from "./smtp/compose.ts";
import { deliver } from "./smtp/deliver.ts";
import type { Channel, ChannelEnv, Target } from "./types.ts";

const content = z.strictObject({ subject: z.string(), text: z.string() });

/** One address, and nothing that a mail server or a library could read as two. */
const ADDRESS = /^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,253}$/u;

/**
 * Plain text over SMTP_URL. Mail servers do not know messages by their Message-ID: once the final dot has been written and
 * no answer comes, nobody can tell. A refusal, at whatever point, is an answer.
 */
export const email: Channel = {
  name: "email",
  label: "e-mail",
  policies: ["review", "duplicate-ok"],
  keyLifetimeSeconds: null,
  timeoutSeconds: 30,
  checkTarget,
  missingSetup,
  render(notice) {
    const { title, lines, link } = writeForPeople(notice);
    return { ok: true, content: { subject: title, text: [...lines, "", link, ""].join("\n") } };
  },
  async send(message, target, { signal, env }) {
    const missing = missingSetup(env);
    if (missing) return waitForSetup(missing);
    // The address is the message's own more often than the destination's: other messages are not held for it.
    const problem = checkTarget(target);
    if (problem) return reject(NOTHING_SENT, "bad_target", problem);
    const parsed = content.safeParse(message.content);
    if (!parsed.success) return reject(NOTHING_SENT, "bad_content", "the frozen content is no e-mail");
    const mail = await composeMail({
      id: message.id,
      date: message.createdAt,
      from: env.EMAIL_FROM!,
      to: target.to!,
      ...parsed.data,
    });
    return mail.ok ? deliver(mail.value, env.SMTP_URL!, signal) : waitForSetup(mail.why);
  },
};

function missingSetup(env: ChannelEnv): string | null {
  const missing = (["SMTP_URL", "EMAIL_FROM"] as const).filter((name) => !env[name]);
  if (missing.length === 0) return null;
  return `e-mail waits until ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} set`;
}

function checkTarget(target: Target): string | null {
  if (!target.to) return "an e-mail destination needs an address (to)";
  return ADDRESS.test(target.to) ? null : "the address is not one that mail can be sent to";
}
