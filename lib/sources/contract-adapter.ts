import type { SourceKind } from "#db/states.ts";
import { parseContract } from "./contract.ts";
import { answerByContract } from "./contract-challenge.ts";
import { listUnconfirmed } from "./contract-checklist.ts";
import { type CompiledContract, compileContract } from "./contract-compile.ts";
import { identifyByContract, identifyUnread } from "./contract-identify.ts";
import type { SenderContract } from "./contract-schema.ts";
import { checkContractSecret, deriveId, signByContract, verifyByContract } from "./contract-verify.ts";
import type {
  Identification,
  IdentifyInput,
  Readiness,
  SignInput,
  SourceAdapter,
  VerifyInput,
} from "./types.ts";

export type ContractKind = {
  kind: SourceKind;
  /** What a source's own document overrides; null: the document says everything. */
  preset: SenderContract | null;
  /** Whether a person must confirm the checklist before events are processed. */
  hasChecklist: boolean;
};

/** An adapter whose rules are read from the source's contract. */
export function createContractAdapter({ kind, preset, hasChecklist }: ContractKind): SourceAdapter {
  const options = { preset: preset ?? undefined, mayBeIncomplete: hasChecklist };
  const checkContract = (json: unknown) => parseContract(json ?? preset ?? null, options);

  // A stored document is validated again when it is first seen: nothing unvalidated ever verifies a request.
  const compiled = new WeakMap<object, CompiledContract | null>();
  const standard = preset && compileContract(preset);
  function compile(json: unknown): CompiledContract | null {
    if (typeof json !== "object" || json === null) return standard;
    let contract = compiled.get(json);
    if (contract === undefined) {
      const checked = checkContract(json);
      contract = checked.ok ? compileContract(checked.contract) : null;
      compiled.set(json, contract);
    }
    return contract;
  }

  function readiness(json: unknown): Readiness {
    const contract = compile(json);
    if (!contract) return { state: "unconfigured", why: "the source has no usable contract" };
    if (!contract.verification) return { state: "unconfigured", why: "verification is not configured" };
    const missing = hasChecklist ? listUnconfirmed(contract.source) : [];
    if (missing.includes("authenticity"))
      return { state: "unconfigured", why: "verification is not confirmed" };
    return missing.length > 0 ? { state: "unconfirmed", missing } : { state: "ready" };
  }

  function verify(input: VerifyInput) {
    const verification = compile(input.contract)?.verification;
    // The receiver asks readiness first and answers 503; whoever does not ask still cannot get anything in.
    if (!verification || readiness(input.contract).state === "unconfigured") {
      return { ok: false, reason: "signature_mismatch", detail: "verification is not configured" } as const;
    }
    return verifyByContract(verification, input);
  }

  function identify(input: IdentifyInput): Identification {
    const contract = compile(input.contract);
    const state = readiness(input.contract);
    if (!contract || state.state === "unconfigured")
      return { ok: false, why: "the source has no usable contract" };
    const identified = identifyByContract(contract, input);
    if (state.state === "ready") return identified;
    const identity = identified.ok ? identified.identity : identifyUnread(input.body);
    const why = `the sender's contract is not confirmed: ${state.missing.join(", ")}`;
    return { ok: true, identity: { ...identity, waits: { kind: "contract", why } } };
  }

  function sign(input: SignInput): Record<string, string> {
    const contract = compile(input.contract);
    if (!contract?.verification) throw new Error("verification is not configured");
    const event = contract.event;
    const unsigned = event && "header" in event.id && !event.id.signed ? event.id.header : null;
    return {
      ...signByContract(contract.verification, input),
      ...(unsigned && { [unsigned]: input.id ?? deriveId(input.body) }),
      ...(event && "header" in event.type && input.type && { [event.type.header]: input.type }),
    };
  }

  return {
    kind,
    checkSecret: (text, contract) => checkContractSecret(compile(contract)?.verification ?? null, text),
    verify,
    identify,
    sign,
    checkContract,
    hasChecklist,
    readiness,
    answerChallenge: ({ contract, ...input }) =>
      answerByContract(compile(contract)?.source.challenges ?? [], input),
  };
}
