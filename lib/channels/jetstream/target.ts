import { checkUrl } from "#lib/outbound/check-url.ts";
import type { Channel, Target } from "../types.ts";

/** nats: can be read on the way and is only for hosts that OUTBOUND_ALLOW names, like http:. */
export const SCHEMES = ["tls:", "nats:"] as const;

/** Tokens between dots; no wildcards, since a message goes to one subject, and none of the server's own ($…). */
const SUBJECT = /^[^\s.*>$\p{Cc}][^\s.*>\p{Cc}]*(\.[^\s.*>\p{Cc}]+)*$/u;

export function checkTarget(target: Target, { allow }: Parameters<Channel["checkTarget"]>[1]): string | null {
  if (!target.url) return "a NATS destination needs the url of a server, for example tls://nats.example.com";
  const check = checkUrl(target.url, SCHEMES, allow);
  if (!check.ok) return check.why;
  const subject = subjectOf(target);
  if (!subject) return "a NATS destination needs a subject (to, or the path of its url)";
  return subject.length <= 255 && SUBJECT.test(subject)
    ? null
    : "the subject is none that can be published to";
}

/** The subject in `to`, else in the URL's path; "" when there is neither. */
export function subjectOf(target: Target): string {
  if (target.to) return target.to;
  return target.url && URL.canParse(target.url) ? new URL(target.url).pathname.replace(/^\//, "") : "";
}
