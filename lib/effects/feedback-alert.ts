import { cleanText, idText, type JsonValue } from "#lib/json.ts";
import { parseJsonPath, readJsonPath } from "#lib/sources/json-path.ts";
import type { Decision, Effect, EffectEvent, Reading } from "./types.ts";

export const FEEDBACK_ALERT = "feedback-alert";

/** Characters of what a person wrote that are kept; the whole is in the event's body. */
const MOST_TEXT = 2_000;

type Role = "alert" | "escalation" | "link";

type Told = {
  feedback: string;
  role: Role;
  /** What tells two escalations of one feedback apart; null where the event's own id has to. */
  level: string | null;
  category: string | null;
  text: string | null;
};

/**
 * Feedback of a sender whose contract says which of its types are feedback: stored, or linked to what is there, with
 * one alert per (project, feedback, `initial-alert`), whichever event comes first. An escalation has an operation of
 * its own. The alert is local; who subscribes to its topic is told as well.
 */
export const feedbackAlert: Effect<Told> = {
  name: FEEDBACK_ALERT,
  takes: {},
  takesByContract: ["sinalio", "hmac"],
  read,
  lockKeys: (event, { feedback }) => [
    JSON.stringify([event.sourceId, event.account, FEEDBACK_ALERT, feedback]),
  ],
  needs: (event, { feedback }) => [
    { kind: "feedback", sourceId: event.sourceId, account: event.account, feedback },
  ],
  decide(event, told, facts): Decision {
    const { feedback, role, category, text } = told;
    const known = facts.feedback({ sourceId: event.sourceId, account: event.account, feedback });
    const operation = operationOf(event, told);
    const there = known?.alerts.find((alert) => alert.operation === operation);
    if (there) {
      const why = `the ${operation} of this feedback was made before`;
      return { kind: "already_applied", byEventId: there.byEventId, why };
    }
    const changes = {
      feedback: [
        { feedbackId: feedback, category, text, escalated: role === "escalation", alert: operation },
      ],
      intents: operation ? [announce(event, told, operation)] : [],
    };
    const stored = known ? "feedback is there already" : "feedback stored";
    if (!operation) return { kind: "linked", why: `${stored}; this type makes no alert`, changes };
    return { kind: "applied", why: `${stored}; ${operation} made`, changes };
  },
};

function operationOf(event: EffectEvent, { role, level }: Told): string | null {
  if (role === "link") return null;
  return role === "alert" ? "initial-alert" : `escalation:${level ?? event.eventId}`;
}

type Contract = {
  types?: Record<string, { role?: Role }>;
  feedback?: Record<"category" | "text" | "level", string | string[] | null> | null;
} | null;

function read(event: EffectEvent): Reading<Told> {
  if (!event.subject) return { ok: false, why: "the event does not say which feedback it is about" };
  const { types, feedback } = (event.contract ?? {}) as NonNullable<Contract>;
  const at = (paths: string | string[] | null | undefined) => readFirst(event.payload, paths);
  return {
    ok: true,
    input: {
      feedback: event.subject,
      role: types?.[event.type]?.role ?? "alert",
      level: idText(at(feedback?.level)),
      category: idText(at(feedback?.category)),
      text: readText(at(feedback?.text)),
    },
  };
}

function readFirst(payload: JsonValue, paths: string | string[] | null | undefined): JsonValue | undefined {
  for (const text of [paths ?? []].flat()) {
    const parsed = parseJsonPath(text);
    const value = parsed.ok ? readJsonPath(payload, parsed.path) : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

function readText(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? cleanText(value.slice(0, MOST_TEXT)) : null;
}

function announce(event: EffectEvent, { feedback, category, text }: Told, operation: string) {
  return {
    topic: "feedback.alert" as const,
    purpose: "alert",
    operation: `${FEEDBACK_ALERT}:${operation}`,
    subject: feedback,
    data: { source: event.sourceId, project: event.account, feedback, operation, category, text },
  };
}
