import type { ContractEvent, ContractVerification, SenderContract } from "./contract-schema.ts";
import { parseTemplate, type TemplatePart } from "./contract-template.ts";
import type { TimeUnit } from "./contract-time.ts";
import { type JsonPath, parseJsonPath } from "./json-path.ts";

/** Alternatives, in order. */
export type Paths = readonly JsonPath[];

export type CompiledVerification = ContractVerification & {
  parts: readonly TemplatePart[];
  digestBytes: number;
  /** Header of the event id where the signed content covers it. */
  signedIdHeader: string | null;
  /** Null where the sender signs no time. */
  clock: Clock | null;
};

/** Where the time of a delivery is and what it is worth; exactly one of `path` (in the body) and `outer` is set. */
export type Clock = {
  unit: TimeUnit;
  toleranceSeconds: number;
  path: JsonPath | null;
  outer: { header: string } | { signaturePart: string } | null;
};

export type CompiledEvent = Omit<ContractEvent, "identityPaths"> & {
  idPaths: Paths;
  typePaths: Paths;
  accountPaths: Paths;
  subjectPaths: Paths;
  apiVersionPaths: Paths;
  modePaths: Paths;
  identityPaths: readonly Paths[];
};

export type CompiledContract = {
  source: SenderContract;
  verification: CompiledVerification | null;
  event: CompiledEvent | null;
  /** By type name, what a body of that type has. */
  requires: ReadonlyMap<string, Paths>;
};

const DIGEST_BYTES = { sha256: 32, sha384: 48, sha512: 64 };

/** Prepares a contract that parseContract let through: paths and template are read once, not per request. */
export function compileContract(source: SenderContract): CompiledContract {
  const { verification, event, types } = source;
  const entries = Object.entries(types).map(
    ([name, type]) => [name, compilePaths(type.requires ?? [])] as const,
  );
  return {
    source,
    verification: verification && compileVerification(verification, event),
    event: event && compileEvent(event),
    requires: new Map(entries),
  };
}

function compileVerification(
  verification: ContractVerification,
  event: ContractEvent | null,
): CompiledVerification {
  const template = parseTemplate(verification.signedContent);
  if (!template.ok) throw new Error(`contract was not validated: ${template.why}`);
  return {
    ...verification,
    parts: template.parts,
    digestBytes: DIGEST_BYTES[verification.signature.algorithm],
    signedIdHeader: event && "header" in event.id && event.id.signed ? event.id.header : null,
    clock: compileClock(verification.timestamp),
  };
}

function compileClock(timestamp: ContractVerification["timestamp"]): Clock | null {
  if (timestamp.kind === "none") return null;
  const { from, unit, toleranceSeconds } = timestamp;
  if ("path" in from) return { unit, toleranceSeconds, path: compilePath(from.path), outer: null };
  return { unit, toleranceSeconds, path: null, outer: from };
}

function compileEvent(event: ContractEvent): CompiledEvent {
  return {
    ...event,
    idPaths: "path" in event.id ? compilePaths(event.id.path) : [],
    typePaths: "path" in event.type ? compilePaths(event.type.path) : [],
    accountPaths: compilePaths(event.account?.path ?? []),
    subjectPaths: compilePaths(event.subject ?? []),
    apiVersionPaths: compilePaths(event.apiVersion ?? []),
    modePaths: compilePaths(event.mode?.path ?? []),
    identityPaths: event.identityPaths.map(compilePaths),
  };
}

function compilePaths(paths: string | readonly string[]): Paths {
  return (typeof paths === "string" ? [paths] : paths).map(compilePath);
}

function compilePath(text: string): JsonPath {
  const parsed = parseJsonPath(text);
  if (!parsed.ok) throw new Error(`contract was not validated: a path ${parsed.why}`);
  return parsed.path;
}
