import { median } from "./statistics.ts";

export type Contender<Sample> = { name: string; measure(): Promise<Sample> };

/**
 * Measures all contenders in turn, round after round (A B C A B C …), so that what slows the machine down for a while
 * slows all of them, and returns each one's samples by name. Every other round goes backwards: nobody always comes
 * after the same neighbour.
 */
export async function measureInRounds<Sample>(
  contenders: readonly Contender<Sample>[],
  rounds: number,
): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const { name, measure } of order) samples.get(name)!.push(await measure());
  }
  return samples;
}

/** The median of each figure over a contender's samples. */
export function medians<Name extends string>(samples: readonly Record<Name, number>[]): Record<Name, number> {
  const names = Object.keys(samples[0] ?? {}) as Name[];
  return Object.fromEntries(
    names.map((name) => [name, median(samples.map((sample) => sample[name]))]),
  ) as Record<Name, number>;
}
