import type { Tx } from "#db/client.ts";
import type { Recovery, SenderObject } from "#lib/recovery/types.ts";
import type { LoadedSource } from "#lib/sources/load.ts";
import type { SourceAdapter } from "#lib/sources/types.ts";
import { type Candidate, readObject } from "./candidates.ts";
import { classify } from "./classify.ts";
import { foreseeAll } from "./foresee.ts";
import { loadReceipts } from "./receipts.ts";
import { type FoundGap, toGap } from "./write-gaps.ts";

/** What a comparison works on. */
export type Subjects = { source: LoadedSource; adapter: SourceAdapter; recovery: Recovery };

export type Comparison = {
  /** The objects that were compared, each once. */
  candidates: Candidate[];
  gaps: FoundGap[];
  /** One sentence each. */
  warnings: string[];
};

/** Compares objects of the sender's list with receipts and entries. Reads alone. */
export async function compareObjects(
  tx: Tx,
  { source, adapter, recovery }: Subjects,
  objects: readonly SenderObject[],
): Promise<Comparison> {
  const warnings = new Set<string>();
  const candidates = new Map<string, Candidate>();
  for (const object of objects) {
    const read = readObject(source, adapter, recovery, object);
    if (!read.ok) {
      warnings.add(`an object of the list cannot be read as this source's events are: ${read.why}`);
      continue;
    }
    const { candidate } = read;
    if (recovery.lists === "objects" && !source.accounts.has(candidate.account)) {
      warnings.add(`account ${candidate.account} is in the list and not configured on this source`);
      continue;
    }
    const key = JSON.stringify([candidate.account, candidate.subject]);
    if (!candidates.has(key)) candidates.set(key, candidate);
  }
  const all = [...candidates.values()];
  if (all.length === 0) return { candidates: [], gaps: [], warnings: [...warnings] };
  const foreseen = await foreseeAll(tx, source, all);
  const receiptsOf = await loadReceipts(tx, source, recovery.lists, all);
  const gaps = all.flatMap((candidate) => {
    const finding = classify(candidate.object.paid, foreseen.get(candidate)!, receiptsOf(candidate));
    return finding ? [toGap(candidate, finding)] : [];
  });
  return { candidates: all, gaps, warnings: [...warnings] };
}
