import { adapterOf } from "#lib/sources/index.ts";
import type { HeaderReader, Secret, SourceAdapter } from "#lib/sources/types.ts";

/** Secrets that every kind of sender accepts: text of good length that is also whsec_ and strict base64. */
export const SECRETS: readonly Secret[] = ["first", "second", "third"].map((name) => ({
  text: `whsec_${Buffer.from(`${name} signing secret of the tests`).toString("base64")}`,
  fingerprint: name,
}));
export const [SECRET, OTHER_SECRET] = SECRETS as [Secret, Secret];

export const NOW = new Date("2026-03-03T10:00:00.000Z");
export const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

export function readHeaders(headers: Record<string, string>): HeaderReader {
  return (name) => (Object.hasOwn(headers, name) ? headers[name]! : null);
}

/** A contract that uses every part of the signed content. */
export const CONTRACT = {
  version: 1,
  verification: {
    signature: { header: "X-Test-Signature", encoding: "hex", prefix: "v1=", separator: "," },
    signedContent: "{id}.{timestamp}.{body}",
    timestamp: { kind: "per-attempt", from: { signaturePart: "t=" } },
  },
  event: {
    id: { header: "X-Test-Id", signed: true },
    type: { path: "type" },
    account: { path: "project.id", required: true },
    subject: "data.id",
  },
  types: { "thing.made": { meaning: "A thing was made." } },
  delivery: { timeoutSeconds: 10, retryWindowHours: 24, replay: { by: "api" } },
};

export const CONFIRMED = [
  "catalogue",
  "identities",
  "scoping",
  "authenticity",
  "delivery",
  "replay",
  "eligibility",
] as const;

/** The least document that makes a source of this kind ready; null for kinds without a contract. */
export function contractFor(adapter: SourceAdapter): unknown {
  if (!adapter.checkContract) return null;
  for (const document of [null, CONTRACT, { ...CONTRACT, confirmed: CONFIRMED }]) {
    const checked = adapter.checkContract(document);
    if (checked.ok && adapter.readiness?.(checked.contract).state !== "unconfigured") {
      if (adapter.readiness?.(checked.contract).state === "ready") return checked.contract;
    }
  }
  throw new Error(`no contract makes ${adapter.kind} ready`);
}

export function useAdapter(kind: SourceAdapter["kind"]): SourceAdapter {
  const adapter = adapterOf(kind);
  if (!adapter) throw new Error(`no adapter for ${kind}`);
  return adapter;
}
