import type { SourceView } from "#lib/admin/describe-source.ts";
import type { SecretHealth } from "#lib/admin/secret-health.ts";
import type { Badge } from "./badge.ts";
import { countOf } from "./text.ts";
import { relative, toMillis } from "./time.ts";

export type SourceActivity = {
  lastEventAt: string | null;
  /** In the last 24 hours; events are counted to COUNT_CAP + 1. */
  events: number;
  rejections: number;
};

type Stateful = Pick<SourceView, "kind" | "status" | "readiness" | "captureUntil">;

export const isUsable = ({ why }: SecretHealth): boolean => why === null;

/** What a source is up to, the gravest first; never empty. */
export function sourceBadges(source: Stateful, health: readonly SecretHealth[]): Badge[] {
  if (source.kind === "manual") return [{ tone: "mute", glyph: "·", word: "built in" }];
  const badges: Badge[] = [];
  const { state } = source.readiness;
  if (state === "unconfigured")
    badges.push(
      source.captureUntil
        ? { tone: "warn", glyph: "◉", word: "capturing" }
        : { tone: "bad", glyph: "!", word: "not configured" },
    );
  if (!health.some(isUsable)) badges.push({ tone: "bad", glyph: "!", word: "no usable secret" });
  if (state === "unconfirmed") badges.push({ tone: "warn", glyph: "?", word: "contract unconfirmed" });
  if (source.status === "paused") badges.push({ tone: "wait", glyph: "‖", word: "paused" });
  return badges.length > 0 ? badges : [{ tone: "ok", glyph: "✓", word: "receiving" }];
}

/** The first thing on a source's page: whether it takes anything, and what came. */
export function sourceSentence(
  source: Stateful,
  health: readonly SecretHealth[],
  { lastEventAt, events, rejections }: SourceActivity,
  now: string,
): string {
  const last = lastEventAt
    ? `the latest ${relative(toMillis(lastEventAt), toMillis(now))}`
    : "and none ever before";
  const came =
    events > 0
      ? `${countOf(events, "event")} came in the last 24 h, ${last}`
      : lastEventAt
        ? `No event came in the last 24 h; ${last}`
        : "No event has come yet";
  const refused =
    rejections > 0 ? `; ${countOf(rejections, "request was", "requests were")} turned away` : "";
  return `${describeState(source, health)} ${came}${refused}.`;
}

function describeState(source: Stateful, health: readonly SecretHealth[]): string {
  if (source.kind === "manual") return "Built in: corrections by hand come from here.";
  const { readiness } = source;
  if (readiness.state === "unconfigured") {
    const captured = source.captureUntil ? " Requests are kept to be looked at." : "";
    return `Every request is answered with 503, because ${readiness.why}.${captured}`;
  }
  if (!health.some(isUsable))
    return "Every request is answered with 503, because the source has no usable secret.";
  if (readiness.state === "unconfirmed")
    return "Events are verified and kept, and wait until the contract is confirmed.";
  if (source.status === "paused") return "Paused: events are received and kept, and nothing processes them.";
  return "Receiving and processing.";
}
