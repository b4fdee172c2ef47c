/** A line of two texts side by side. A changed line has both sides, a folded one says how many equal lines it is. */
export type DiffRow =
  | { kind: "same"; left: string; right: string; leftLine: number; rightLine: number }
  | { kind: "changed"; left: string; right: string; leftLine: number; rightLine: number }
  | { kind: "removed"; left: string; leftLine: number }
  | { kind: "added"; right: string; rightLine: number }
  | { kind: "folded"; lines: number };

/** Cells of the table of common lengths: four million bytes, some ten milliseconds. */
const MOST_CELLS = 2_000_000;
/** Equal lines around a difference that stay. */
const CONTEXT = 3;

/**
 * The lines of two texts with their differences: what both begin and end with is set aside, the longest common
 * subsequence decides between. Beyond MOST_CELLS the whole middle counts as changed, which is coarse and never wrong.
 */
export function diffLines(leftText: string, rightText: string): DiffRow[] {
  const left = leftText.split("\n");
  const right = rightText.split("\n");
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start++;
  let end = 0;
  const most = Math.min(left.length, right.length) - start;
  while (end < most && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  const middle = pairUp(left.slice(start, left.length - end), right.slice(start, right.length - end));
  const pairs: Pair[] = [
    ...left.slice(0, start).map((text): Pair => [text, text]),
    ...middle,
    ...left.slice(left.length - end).map((text): Pair => [text, text]),
  ];
  return fold(number(pairs));
}

/** A line on the left and one on the right; null where there is none. */
type Pair = [left: string | null, right: string | null];

function pairUp(left: string[], right: string[]): Pair[] {
  const columns = right.length + 1;
  if ((left.length + 1) * columns > MOST_CELLS) return join(left, right);
  // lengths[i, j]: how many lines left.slice(i) and right.slice(j) have in common.
  const lengths = new Uint16Array((left.length + 1) * columns);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const at = i * columns + j;
      lengths[at] =
        left[i] === right[j]
          ? lengths[at + columns + 1]! + 1
          : Math.max(lengths[at + columns]!, lengths[at + 1]!);
    }
  }
  const pairs: Pair[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) {
      pairs.push(...join(removed, added), [left[i++]!, right[j++]!]);
      [removed, added] = [[], []];
    } else if (lengths[(i + 1) * columns + j]! >= lengths[i * columns + j + 1]!) removed.push(left[i++]!);
    else added.push(right[j++]!);
  }
  return [...pairs, ...join([...removed, ...left.slice(i)], [...added, ...right.slice(j)])];
}

/** Lines that stand in each other's place, beside each other. */
function join(removed: string[], added: string[]): Pair[] {
  return Array.from(
    { length: Math.max(removed.length, added.length) },
    (_, at): Pair => [removed[at] ?? null, added[at] ?? null],
  );
}

type NumberedRow = Exclude<DiffRow, { kind: "folded" }>;

function number(pairs: Pair[]): NumberedRow[] {
  let [leftLine, rightLine] = [0, 0];
  return pairs.map(([left, right]): NumberedRow => {
    if (left !== null) leftLine++;
    if (right !== null) rightLine++;
    if (left === null) return { kind: "added", right: right!, rightLine };
    if (right === null) return { kind: "removed", left, leftLine };
    return { kind: left === right ? "same" : "changed", left, right, leftLine, rightLine };
  });
}

/** Long runs of equal lines shrink to their edges. */
function fold(rows: NumberedRow[]): DiffRow[] {
  const isNear = rows.map((row) => row.kind !== "same");
  const marks = isNear.flatMap((differs, at) => (differs ? [at] : []));
  for (const at of marks) {
    for (let near = at - CONTEXT; near <= at + CONTEXT; near++) if (near in isNear) isNear[near] = true;
  }
  const folded: DiffRow[] = [];
  for (const [at, row] of rows.entries()) {
    const last = folded.at(-1);
    if (isNear[at]) folded.push(row);
    else if (last?.kind === "folded") last.lines++;
    else folded.push({ kind: "folded", lines: 1 });
  }
  return folded;
}
