import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import type { SenderContract } from "#lib/sources/contract-schema.ts";
import { parseJsonPath } from "#lib/sources/json-path.ts";
import { writeJsonPath } from "#lib/sources/write-json-path.ts";
import { TEST_TYPE, type TestEvent, type TestEventInput } from "./make-test-event.ts";

type JsonRoot = Parameters<typeof writeJsonPath>[0];
type Paths = string | readonly string[];

/** A test event of a sender that a contract describes: the values that the contract reads, at the paths it names. */
export function writeContractEvent(input: TestEventInput): Outcome<TestEvent> {
  const { contract } = input;
  if (!contract) return refuse("conflict", "The source has no usable contract, so no event can be made.");
  const type = chooseType(contract, input.type);
  if (!type.ok) return type;
  const values = listValues(contract, input, type.value);
  const root: JsonRoot = values.some(([path]) => IN_LIST.test(path)) ? [] : {};
  for (const [text, value] of values) {
    const path = parseJsonPath(text);
    if (!path.ok || !writeJsonPath(root, path.path, value)) {
      return refuse("conflict", `No test event fits this contract: two of its paths contradict at ${text}.`);
    }
  }
  return succeed({ payload: root, type: type.value });
}

/** One that no effect is meant for: a catalogue that binds (the type is in a header) must have such a type. */
function chooseType({ event, types }: SenderContract, wanted: string | undefined): Outcome<string> {
  const handled = wanted === undefined ? undefined : types[wanted]?.effect;
  if (handled)
    return refuse("unacceptable", `${wanted} is meant for ${handled}: a test must not have an effect.`);
  if (event && "value" in event.type) return succeed(event.type.value);
  if (wanted !== undefined || !event || !("header" in event.type)) return succeed(wanted ?? TEST_TYPE);
  const free = Object.entries(types).find(([, { effect }]) => effect === undefined)?.[0];
  return free
    ? succeed(free)
    : refuse("conflict", "Every type in this contract's catalogue has an effect, and a test must have none.");
}

type Value = [path: string, value: string | number];

/** Paths and what stands at them; of alternatives the first. */
function listValues(contract: SenderContract, input: TestEventInput, type: string): Value[] {
  const values = [...listNamed(contract, input, type)];
  for (const paths of contract.types[type]?.requires ?? []) {
    const path = firstOf(paths);
    // What is there already, or leads through it, satisfies it.
    const isThere = values.some(
      ([other]) => other === path || other.startsWith(`${path}.`) || other.startsWith(`${path}[`),
    );
    if (!isThere) values.push([path, `test_${input.id}`]);
  }
  // With the id in a header two bodies could be the same, which looks like a replay.
  const isList = values.some(([path]) => IN_LIST.test(path));
  if (contract.event && "header" in contract.event.id && !isList) values.push(["counterfoil_test", input.id]);
  return values;
}

function* listNamed(
  { event, verification }: SenderContract,
  { id, account, mode, now }: TestEventInput,
  type: string,
): Generator<Value> {
  if (!event) {
    yield ["id", id];
    yield ["type", type];
  } else {
    if ("path" in event.id) yield [firstOf(event.id.path), id];
    if ("path" in event.type) yield [firstOf(event.type.path), type];
    if (event.account) yield [firstOf(event.account.path), account];
    if (event.mode) yield [firstOf(event.mode.path), event.mode[mode][0]!];
    if (event.subject) yield [firstOf(event.subject), `test_${id}`];
  }
  const clock = verification?.timestamp;
  if (clock && clock.kind !== "none" && "path" in clock.from) {
    yield [clock.from.path, now(clock.unit) as string | number];
  }
}

const IN_LIST = /^\[\d/;
const firstOf = (paths: Paths): string => (typeof paths === "string" ? paths : paths[0]!);
