import { effectsFor } from "#lib/effects/index.ts";
import type { Effect, EffectEvent, Facts, Need, PaymentNeed } from "#lib/effects/types.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { readPayload } from "#lib/sources/payload.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import type { InboxRow } from "./row.ts";

/** A row whose effects have read it: ready for locks, facts and decisions. */
export type Prepared = {
  row: InboxRow;
  event: EffectEvent;
  effects: { effect: Effect; input: unknown }[];
};

/** Why a row does not come to a decision. `ignore` and `wait` are states; `invalid` and `unread` are failures. */
export type NotPrepared =
  | { kind: "ignore"; why: string }
  | { kind: "wait"; waitsKind: "account"; waitsKey: string; why: string }
  | { kind: "invalid"; why: string };

/** Reads a row for its effects. Pure; may throw only through a fault in an effect. */
export function prepare(row: InboxRow): Prepared | NotPrepared {
  if (row.tenantId === null) {
    return {
      kind: "wait",
      waitsKind: "account",
      waitsKey: row.account,
      why: `account ${row.account} is not configured on this source`,
    };
  }
  const effects = effectsFor(row.kind, row.type, row.contract);
  if (effects.length === 0) return { kind: "ignore", why: "no effect takes this type" };
  if (row.body === null) return { kind: "invalid", why: "its body has expired" };
  const parsed = readPayload(adapterOf(row.kind), row.body, (name) => row.headers?.[name] ?? null);
  if (!parsed.ok) return { kind: "invalid", why: parsed.why };
  const event: EffectEvent = {
    id: row.id,
    kind: row.kind,
    sourceId: row.sourceId,
    account: row.account,
    tenantId: row.tenantId,
    mode: row.mode,
    type: row.type,
    subject: row.subject,
    eventId: row.eventId,
    payload: parsed.value,
    settings: sourceSettings.parse(row.settings),
    contract: row.contract,
  };
  return readAll(row, event, effects);
}

function readAll(row: InboxRow, event: EffectEvent, effects: Effect[]): Prepared | NotPrepared {
  const prepared: Prepared = { row, event, effects: [] };
  for (const effect of effects) {
    const reading = effect.read(event);
    if (!reading.ok) return { kind: "invalid", why: reading.why };
    prepared.effects.push({ effect, input: reading.input });
  }
  return prepared;
}

/** Payments whose invoice the effects have to know before they can say what to lock. */
export function paymentsOf({ event, effects }: Prepared): PaymentNeed[] {
  return effects.flatMap(({ effect, input }) => effect.resolves?.(event, input) ?? []);
}

type Resolved = Pick<Facts, "payment">;

export function lockKeysOf({ event, effects }: Prepared, resolved: Resolved): string[] {
  return effects.flatMap(({ effect, input }) => effect.lockKeys(event, input, resolved));
}

export function needsOf({ event, effects }: Prepared, resolved: Resolved): Need[] {
  return effects.flatMap(({ effect, input }) => effect.needs(event, input, resolved));
}

export function isPrepared(result: Prepared | NotPrepared): result is Prepared {
  return "event" in result;
}
