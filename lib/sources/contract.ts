import { findUnwritten } from "./contract-checklist.ts";
import { findUnsafe } from "./contract-safety.ts";
import { contractSchema, type SenderContract } from "./contract-schema.ts";

export type ContractResult = { ok: true; contract: SenderContract } | { ok: false; problems: string[] };

export type ContractOptions = {
  /** What the document leaves out is taken from here. */
  preset?: SenderContract;
  /** For a sender with a checklist: verification and event may still be unknown. */
  mayBeIncomplete?: boolean;
};

/**
 * Validates a sender contract and fills its defaults; a complete one comes out as it went in. Refuses, with one
 * sentence per problem ("path: why"), what has the wrong shape and what cannot be safe. Never throws.
 */
export function parseContract(json: unknown, options: ContractOptions = {}): ContractResult {
  const document = options.preset ? mergeInto(options.preset, json, "") : json;
  const parsed = contractSchema.safeParse(document);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) =>
      path.length > 0 ? `${path.join(".")}: ${message}` : message,
    );
    return { ok: false, problems };
  }
  const contract = parsed.data;
  const problems = [
    ...(options.mayBeIncomplete ? findUnwritten(contract) : findMissing(contract)),
    ...findUnsafe(contract),
  ];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, contract };
}

function findMissing({ verification, event, confirmed }: SenderContract): string[] {
  return [
    ...(verification ? [] : ["verification: is needed"]),
    ...(event ? [] : ["event: is needed"]),
    ...(confirmed.length > 0 ? ["confirmed: this kind of sender has no checklist"] : []),
  ];
}

/** Objects whose members are overridden one by one. All else is replaced whole: half a choice is no choice. */
const MERGED = ["", "verification", "verification.signature", "event", "delivery"];

/** Members of `json` over those of `preset`. The spread copies own members as such, also one called __proto__. */
function mergeInto(preset: unknown, json: unknown, path: string): unknown {
  if (!MERGED.includes(path) || !isObject(preset) || !isObject(json))
    return json ?? (path === "" ? preset : json);
  const merged: Record<string, unknown> = { ...preset, ...json };
  for (const key of Object.keys(json)) {
    if (!Object.hasOwn(preset, key)) continue;
    merged[key] = mergeInto(preset[key], json[key], path === "" ? key : `${path}.${key}`);
  }
  return merged;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
