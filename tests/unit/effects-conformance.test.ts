import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SourceKind } from "#db/states.ts";
import { EFFECTS, effectsFor } from "#lib/effects/index.ts";
import type { EffectEvent } from "#lib/effects/types.ts";
import { rule } from "#lib/inbox/decide.ts";
import { lockKeysOf, needsOf } from "#lib/inbox/prepare.ts";
import type { JsonValue } from "#lib/json.ts";
import { SAMPLES, type Sample } from "#tests/support/effect-samples.ts";
import { effectEvent, Model, NOTHING, prepareEvent } from "#tests/support/effects.ts";

const eventOf = (sample: Sample, parts = {}): EffectEvent => effectEvent({ ...sample, ...parts });

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

const named = SAMPLES.map((sample, at) => ({
  ...sample,
  name: `${sample.kind} ${sample.type}, sample ${at}`,
}));

describe("every effect of the registry", () => {
  it("has a name of its own, in the form of an operation", () => {
    const names = EFFECTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
  });

  it("has a sample of every type that it takes, from every kind of sender", () => {
    const taken = EFFECTS.flatMap(({ takes }) =>
      Object.entries(takes).flatMap(([kind, types]) => types.map((type) => `${kind} ${type}`)),
    );
    const sampled = new Set(SAMPLES.map(({ kind, type }) => `${kind} ${type}`));
    expect(taken.filter((type) => !sampled.has(type))).toEqual([]);
    const byContract = EFFECTS.flatMap((effect) =>
      (effect.takesByContract ?? []).map((kind) => [effect.name, kind]),
    );
    for (const [name, kind] of byContract)
      expect(
        SAMPLES.some((sample) =>
          effectsFor(sample.kind, sample.type, sample.contract).some(
            (effect) => effect.name === name && sample.kind === kind,
          ),
        ),
      ).toBe(true);
  });
});

describe.each(named)("$name", (sample) => {
  it("is read, and decided on, by nothing but its input and the facts", () => {
    const event = freeze(eventOf(sample, { id: "row", eventId: "evt" }));
    const decide = () => {
      const prepared = prepareEvent(event);
      return {
        locks: lockKeysOf(prepared, NOTHING),
        needs: needsOf(prepared, NOTHING),
        ruling: rule(prepared, new Model().facts),
      };
    };
    expect(decide()).toEqual(decide());
  });

  it("has the same locks, by another delivery and with other facts about anything but its payment", () => {
    const locks = (id: string) => lockKeysOf(prepareEvent(eventOf(sample, { id, eventId: "evt" })), NOTHING);
    expect(locks("one")).toEqual(locks("two"));
  });

  it("comes to one sentence, without line breaks", () => {
    const ruling = rule(prepareEvent(eventOf(sample)), new Model().facts);
    const why = ruling.kind === "done" ? ruling.verdicts.map((verdict) => verdict.why) : [ruling.why];
    for (const sentence of why) expect(sentence).toMatch(/^[^\n]{5,400}$/);
  });

  it("done once is never done again", () => {
    const model = new Model();
    const event = eventOf(sample);
    model.take(eventOf(SAMPLES[1]!));
    model.take(event);
    const balance = model.balance;
    const again = model.take(event);
    expect(model.balance).toBe(balance);
    if (again.kind === "done")
      for (const { changes } of again.verdicts)
        expect([changes.entries ?? [], changes.intents ?? []]).toEqual([[], []]);
  });
});

const kinds: SourceKind[] = ["stripe", "payments", "manual"];
const anyType = fc.constantFrom(
  ...EFFECTS.flatMap(({ takes }) =>
    kinds.flatMap((kind) => (takes[kind] ?? []).map((type) => ({ kind, type }))),
  ),
);

describe("whatever a sender sends", () => {
  it("is read or refused with a sentence, and never throws", () => {
    fc.assert(
      fc.property(anyType, fc.jsonValue({ maxDepth: 6 }), ({ kind, type }, payload) => {
        const event = effectEvent({ kind, type, payload: payload as JsonValue });
        for (const effect of effectsFor(kind, type)) {
          const reading = effect.read(event);
          if (!reading.ok) expect(reading.why).toMatch(/^[^\n]+$/);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("with one member of a good payload replaced is read or refused as well", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SAMPLES),
        fc.nat(),
        fc.oneof(fc.jsonValue(), fc.bigInt(), fc.constant("\u0000"), fc.constant("\ud800")),
        (sample, at, value) => {
          const payload = structuredClone(sample.payload);
          const places = holdersOf(payload);
          const [holder, key] = places[at % places.length]!;
          holder[key] = value;
          const event = effectEvent({ ...sample, payload });
          for (const effect of effectsFor(sample.kind, sample.type, sample.contract)) effect.read(event);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

type Holder = Record<string, unknown>;

function holdersOf(value: unknown): [Holder, string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    [value as Holder, key] as [Holder, string],
    ...holdersOf(part),
  ]);
}
