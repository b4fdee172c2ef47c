import { createContractAdapter } from "./contract-adapter.ts";
import { contractSchema } from "./contract-schema.ts";

/**
 * Sinalio's public pages specify no names, fields, signature or retry rules, and none are invented here: the preset
 * knows nothing. Verification has to be entered and confirmed before anything is accepted, and the whole checklist
 * before anything is processed (CONTRACT §4).
 */
export const sinalioPreset = contractSchema.parse({ version: 1 });

export const sinalio = createContractAdapter({ kind: "sinalio", preset: sinalioPreset, hasChecklist: true });
