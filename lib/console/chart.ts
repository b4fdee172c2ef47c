import type { Minute } from "./throughput.ts";

/** Paths in a square of 100 by 100, stretched by whoever draws them; ticks from the top down. */
export type ChartShape = { ticks: number[]; received: string; done: string };

export function chartShape(minutes: Minute[]): ChartShape {
  const top = niceTop(Math.max(...minutes.map(({ received, done }) => Math.max(received, done))));
  const path = (of: "received" | "done") =>
    minutes
      .map((minute, at) => {
        const x = (at / (minutes.length - 1)) * 100;
        return `${at === 0 ? "M" : "L"}${round(x)},${round(100 - (minute[of] / top) * 100)}`;
      })
      .join(" ");
  return { ticks: [top, top / 2, 0], received: path("received"), done: path("done") };
}

/** The next even number of 2, 4, 6, 10 times a power of ten: both ticks are then round. */
export function niceTop(highest: number): number {
  if (highest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(highest));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= highest) ?? 10;
  return step * power;
}

const round = (value: number) => Math.round(value * 100) / 100;
