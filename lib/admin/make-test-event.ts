import type { Mode, SourceKind } from "#db/states.ts";
import type { JsonValue } from "#lib/json.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import type { SenderContract } from "#lib/sources/contract-schema.ts";
import { writeContractEvent } from "./write-contract-event.ts";

export type TestEventInput = {
  kind: SourceKind;
  /** The complete contract of a contract-driven kind, else null. */
  contract: SenderContract | null;
  /** Unique: a sender that signs no event id must not look as if it sent one body twice. */
  id: string;
  /** Default: one that nothing handles. */
  type?: string;
  /** The source's own account without mode suffix, and a mode in which it is configured. */
  account: string;
  mode: Mode;
  /** The present time as this sender spells it; epoch seconds where a body of a built-in kind has one. */
  now: (unit: "s" | "ms" | "iso") => JsonValue;
};

export type TestEvent = { payload: JsonValue; type: string };

/** Named so that no effect will ever take it. */
export const TEST_TYPE = "counterfoil.test";

/**
 * An event as this kind of sender would send one, about nothing: the type is none that anything handles and the
 * subject is no invoice. Pure.
 */
export function makeTestEvent(input: TestEventInput): Outcome<TestEvent> {
  const { kind, id, type = TEST_TYPE, mode, now } = input;
  switch (kind) {
    case "stripe":
      return succeed({
        type,
        payload: {
          id,
          object: "event",
          api_version: "2026-10-28",
          created: now("s"),
          data: { object: { id: `test_${id}`, object: "counterfoil.test", metadata: {} } },
          livemode: mode === "live",
          pending_webhooks: 1,
          request: { id: null, idempotency_key: null },
          type,
        },
      });
    case "github":
      return succeed(makePing(id, input.type ?? "ping"));
    case "standard-webhooks":
      return succeed({
        type,
        payload: { type, timestamp: now("iso"), data: { id: `test_${id}`, object: "counterfoil.test" } },
      });
    case "payments":
    case "sinalio":
    case "hmac":
      return writeContractEvent(input);
    case "manual":
      return refuse("unacceptable", "This source is built in: nobody can send to it.");
    default:
      return kind satisfies never;
  }
}

/** What GitHub sends when a hook is created. Without an organization or repository it belongs to the own account. */
function makePing(id: string, type: string): TestEvent {
  const hook = {
    type: "Repository",
    id: 1,
    name: "web",
    active: true,
    events: ["push"],
    config: { content_type: "json" },
  };
  return { type, payload: { zen: `Test event ${id}.`, hook_id: 1, hook } };
}
