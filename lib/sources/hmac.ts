import { createContractAdapter } from "./contract-adapter.ts";

/** Any sender that signs with an HMAC: everything is in the source's contract, and without one nothing gets in. */
export const hmac = createContractAdapter({ kind: "hmac", preset: null, hasChecklist: false });
