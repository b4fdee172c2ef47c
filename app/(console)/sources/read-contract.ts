import type { SourceKind } from "#db/states.ts";
import { parseJson } from "#lib/json.ts";
import { adapterOf } from "#lib/sources/index.ts";
import type { FormProblem } from "../../_components/sources/problem-list.tsx";

export type ReadContract = { ok: true; value: unknown } | { ok: false; problem: FormProblem };

/** A contract that somebody pasted, checked; null for an empty field, which means the kind's preset. */
export function readContract(kind: SourceKind, text: string): ReadContract {
  const check = adapterOf(kind)?.checkContract;
  if (!check || text.trim() === "") return { ok: true, value: null };
  const parsed = parseJson(Buffer.from(text));
  if (!parsed.ok)
    return {
      ok: false,
      problem: { message: `The contract cannot be read: ${parsed.why.replace("the body", "it")}.` },
    };
  const checked = check(parsed.value);
  return checked.ok
    ? { ok: true, value: parsed.value }
    : { ok: false, problem: { message: "The contract is not usable.", details: checked.problems } };
}
