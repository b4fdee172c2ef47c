import type { SourceKind } from "#db/states.ts";
import { effectsFor } from "#lib/effects/index.ts";
import type { EffectEvent, Facts } from "#lib/effects/types.ts";
import { BatchFacts } from "#lib/inbox/batch-facts.ts";
import { type Ruling, rule } from "#lib/inbox/decide.ts";
import type { Prepared } from "#lib/inbox/prepare.ts";
import type { InboxRow } from "#lib/inbox/row.ts";
import type { JsonValue } from "#lib/json.ts";
import { sourceSettings } from "#lib/sources/settings.ts";

/** Facts of an empty database. */
export const NOTHING: Facts = new BatchFacts();

let made = 0;

export type EventParts = {
  kind?: SourceKind;
  type: string;
  payload: unknown;
  eventId?: string;
  id?: string;
  account?: string;
  settings?: object;
  contract?: unknown;
  subject?: string;
};

export function effectEvent(parts: EventParts): EffectEvent {
  const { kind = "stripe", type, payload, settings = {}, contract = null, account = "acct_1" } = parts;
  const number = ++made;
  return {
    id: parts.id ?? `row-${number}`,
    kind,
    sourceId: kind,
    account,
    tenantId: "acme",
    mode: "live",
    type,
    eventId: parts.eventId ?? `evt_${number}`,
    subject: parts.subject ?? null,
    payload: payload as JsonValue,
    settings: sourceSettings.parse(settings),
    contract,
  };
}

/** An event as its effects have read it. Throws where the shape is refused: say so with `readings` instead. */
export function prepareEvent(event: EffectEvent): Prepared {
  const effects = effectsFor(event.kind, event.type, event.contract).map((effect) => {
    const reading = effect.read(event);
    if (!reading.ok) throw new Error(reading.why);
    return { effect, input: reading.input };
  });
  if (effects.length === 0) throw new Error(`no effect takes ${event.type}`);
  return { row: { id: event.id } as InboxRow, event, effects };
}

/**
 * The product's decisions without its database: rules one event after the other on folded facts, remembers payment
 * links, and tries again what waits whenever something was done.
 */
export class Model {
  readonly facts = new BatchFacts();
  readonly rulings: { event: EffectEvent; ruling: Ruling }[] = [];
  #waiting: EffectEvent[] = [];

  constructor(customer = "cus_acme") {
    for (const sourceId of ["stripe", "payments"]) {
      this.facts.setLink(
        { sourceId, account: "acct_1", customer },
        { workspaceId: "ws_1", workspaceName: "Acme", tenantId: "acme", contact: "a@b.example" },
      );
    }
    this.facts.setWorkspace({ id: "ws_1", name: "Acme", tenantId: "acme", balance: 0n });
  }

  get balance(): bigint {
    return this.facts.workspace({ workspace: "ws_1" })!.balance;
  }

  get waiting(): readonly EffectEvent[] {
    return this.#waiting;
  }

  take(event: EffectEvent): Ruling {
    const ruling = this.#rule(event);
    const waited = this.#waiting;
    this.#waiting = ruling.kind === "wait" ? [event] : [];
    for (const earlier of waited) {
      if (this.#rule(earlier).kind === "wait") this.#waiting.push(earlier);
    }
    return ruling;
  }

  #rule(event: EffectEvent): Ruling {
    const ruling = rule(prepareEvent(event), this.facts);
    this.rulings.push({ event, ruling });
    if (ruling.kind === "done") {
      for (const { payment, invoice } of ruling.verdicts.flatMap(({ changes }) => changes.links ?? [])) {
        const need = { sourceId: event.sourceId, account: event.account, payment };
        if (!this.facts.payment(need).includes(invoice)) this.facts.addPayment(need, invoice);
      }
    }
    return ruling;
  }
}
