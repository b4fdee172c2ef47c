import type { SourceKind } from "#db/states.ts";
import type { ContractVerification, SenderContract } from "#lib/sources/contract-schema.ts";
import { parseTemplate } from "#lib/sources/contract-template.ts";
import { type Piece, variable } from "./shell-words.ts";

/** How a sender signs, in the terms that a command line needs. */
export type Recipe = {
  algorithm: "sha256" | "sha384" | "sha512";
  key: ContractVerification["secret"];
  content: Piece[];
  encoding: "hex" | "base64" | "base64url";
  /** Those that authenticate and identify an event of this type. */
  headers(type: string): [name: string, value: Piece[]][];
};

const [ID, NOW, BODY, SIG] = [variable("id"), variable("s"), variable("body"), variable("signature")];
const UTF8 = { encoding: "utf8", prefix: "" } as const;

/** Null where the sender's way of signing is not known yet. The conformance test runs each against the receiver. */
export function recipeOf(kind: SourceKind, contract: SenderContract | null): Recipe | null {
  switch (kind) {
    case "stripe":
      return {
        algorithm: "sha256",
        key: UTF8,
        content: [NOW, ".", BODY],
        encoding: "hex",
        headers: () => [["Stripe-Signature", ["t=", NOW, ",v1=", SIG]]],
      };
    case "github":
      return {
        algorithm: "sha256",
        key: UTF8,
        content: [BODY],
        encoding: "hex",
        headers: (type) => [
          ["X-GitHub-Event", [type]],
          ["X-GitHub-Delivery", [ID]],
          ["X-Hub-Signature-256", ["sha256=", SIG]],
        ],
      };
    case "standard-webhooks":
      return {
        algorithm: "sha256",
        key: { encoding: "base64", prefix: "whsec_" },
        content: [ID, ".", NOW, ".", BODY],
        encoding: "base64",
        headers: () => [
          ["webhook-id", [ID]],
          ["webhook-timestamp", [NOW]],
          ["webhook-signature", ["v1,", SIG]],
        ],
      };
    case "manual":
      return null;
    default:
      return contract?.verification ? readRecipe(contract, contract.verification) : null;
  }
}

function readRecipe({ event }: SenderContract, verification: ContractVerification): Recipe | null {
  const template = parseTemplate(verification.signedContent);
  if (!template.ok) return null;
  const { signature, secret, timestamp } = verification;
  const outer = timestamp.kind !== "none" && !("path" in timestamp.from) ? timestamp.from : null;
  const moment = timestamp.kind === "none" ? NOW : variable(timestamp.unit);
  const pieces = { id: ID, timestamp: moment, body: BODY };
  const proof: Piece[] = [signature.prefix, SIG];
  return {
    algorithm: signature.algorithm,
    key: secret,
    content: template.parts.map((part) => ("text" in part ? part.text : pieces[part.placeholder])),
    encoding: signature.encoding,
    headers: (type) => [
      ...(event && "header" in event.type ? [[event.type.header, [type]] as [string, Piece[]]] : []),
      ...(event && "header" in event.id ? [[event.id.header, [ID]] as [string, Piece[]]] : []),
      ...(outer && "header" in outer ? [[outer.header, [moment]] as [string, Piece[]]] : []),
      [
        signature.header,
        outer && "signaturePart" in outer
          ? [outer.signaturePart, moment, signature.separator ?? "", ...proof]
          : proof,
      ],
    ],
  };
}
