import { CHECKLIST, type ChecklistItem, type SenderContract } from "./contract-schema.ts";

/** What the document must hold before an item can be confirmed: nobody confirms what is not written down. */
const WRITTEN: Record<ChecklistItem, (contract: SenderContract) => boolean> = {
  catalogue: ({ types }) => Object.keys(types).length > 0,
  identities: ({ event }) => event !== null && event.subject !== null,
  scoping: ({ event }) => event?.account?.required === true,
  authenticity: ({ verification }) => verification !== null,
  delivery: ({ delivery }) => delivery !== null,
  replay: ({ delivery }) => delivery !== null,
  eligibility: () => true,
};

const NEEDS: Record<ChecklistItem, string> = {
  catalogue: "types",
  identities: "event.id and event.subject",
  scoping: "event.account with required",
  authenticity: "verification",
  delivery: "delivery",
  replay: "delivery.replay",
  eligibility: "nothing",
};

/** Items that are confirmed although the document does not hold what they are about. */
export function findUnwritten(contract: SenderContract): string[] {
  return contract.confirmed
    .filter((item) => !WRITTEN[item](contract))
    .map((item) => `confirmed: ${item} needs ${NEEDS[item]} to be filled in first`);
}

/** Items that nobody has confirmed, in the order of the list. */
export function listUnconfirmed(contract: SenderContract): ChecklistItem[] {
  return CHECKLIST.filter((item) => !contract.confirmed.includes(item));
}
