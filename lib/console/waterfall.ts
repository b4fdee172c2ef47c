import type { InvoiceTrace, TraceItem } from "#lib/trace/types.ts";
import type { Tone } from "./badge.ts";
import { namedBadge, outboxBadge } from "./badge.ts";
import { toMillis } from "./time.ts";

export type Step = {
  key: string;
  label: string;
  tone: Tone;
  at: string;
  /** Milliseconds; null for a moment without a length. */
  length: number | null;
  /** Percent of the width. */
  x: number;
  width: number;
};

export type Waterfall = { steps: Step[]; folds: number[]; from: string; to: string };

/** Deliveries of a sender that repeats itself would push everything else off the page. */
const MOST_STEPS = 40;
/** Percent: wide enough to see, and to point at. */
const LEAST_WIDTH = 0.8;
/** Roots of milliseconds: gaps of up to a quarter of a second are never folded. */
const LONG_GAP = 16;

/**
 * The trace on one axis of time. Hours of nothing between two happenings are folded to a fixed width, and lengths
 * grow with their square root, so that 4 ms and 10 s fit on one line; the figures beside it are the truth.
 */
export function toWaterfall(trace: InvoiceTrace): Waterfall | null {
  const bars = trace.items.flatMap((item) => toBar(item, trace.items) ?? []).slice(0, MOST_STEPS);
  if (bars.length < 2) return null;
  const axis = foldAxis(bars);
  const steps = bars.map(({ start, end, ...bar }) => {
    const x = Math.min(axis.at(start), 100 - LEAST_WIDTH);
    return { ...bar, x, width: Math.max(LEAST_WIDTH, axis.at(end) - x) };
  });
  return { steps, folds: axis.folds, from: steps[0]!.at, to: steps.at(-1)!.at };
}

type Bar = Omit<Step, "x" | "width"> & { start: number; end: number };

function toBar(item: TraceItem, items: readonly TraceItem[]): Bar | null {
  const described = describe(item, items);
  if (!described) return null;
  const start = toMillis(item.at);
  const length = item.kind === "receipt" ? null : item.durationMs;
  return { key: item.id, at: item.at, length, start, end: start + (length ?? 0), ...described };
}

function describe(item: TraceItem, items: readonly TraceItem[]): { label: string; tone: Tone } | null {
  switch (item.kind) {
    case "receipt":
      return { label: `Receipt, ${item.type}`, tone: "wait" };
    case "delivery":
      return { label: `Delivery ${item.ordinal}`, tone: "wait" };
    case "conflict":
      return { label: "Other content", tone: "odd" };
    case "attempt":
      return attemptStep(item.event, item.result, items);
    case "replay":
      return {
        label: `Replay by ${item.actor}: ${namedBadge(item.result).word}`,
        tone: namedBadge(item.result).tone,
      };
    case "message":
      return {
        label: `${item.channel === "email" ? "E-mail" : item.channel}: ${outboxBadge(item.status).word}`,
        tone: outboxBadge(item.status).tone,
      };
    case "entry":
    case "effect":
    case "link":
    case "note":
      return null;
    default:
      return item satisfies never;
  }
}

/** A try that made the event done says what it came to. */
function attemptStep(
  event: string | null,
  result: string,
  items: readonly TraceItem[],
): Pick<Step, "label" | "tone"> {
  const effect = items.find((item) => item.kind === "effect" && item.event === event);
  const { word, tone } = namedBadge(result === "done" && effect?.kind === "effect" ? effect.outcome : result);
  return { label: `Worker: ${word}`, tone };
}

function foldAxis(bars: readonly Bar[]): { at: (time: number) => number; folds: number[] } {
  const times = [...new Set(bars.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const spans = times.slice(1).map((to, index) => {
    const from = times[index]!;
    const busy = bars.some((bar) => bar.start <= from && bar.end >= to && bar.end > bar.start);
    return { from, to, busy, weight: Math.sqrt(to - from) };
  });
  const busyWeight = spans.filter(({ busy }) => busy).reduce((sum, { weight }) => sum + weight, 0);
  const most = Math.max(LONG_GAP, busyWeight * 1.5);
  const widths = spans.map((span) => (span.busy ? span.weight : Math.min(span.weight, most)));
  const total = widths.reduce((sum, width) => sum + width, 0) || 1;
  const ends = new Map<number, number>([[times[0]!, 0]]);
  const folds: number[] = [];
  let position = 0;
  spans.forEach((span, index) => {
    const share = (widths[index]! / total) * (100 - LEAST_WIDTH);
    if (!span.busy && span.weight > most) folds.push(position + share / 2);
    position += share;
    ends.set(span.to, position);
  });
  return { at: (time) => ends.get(time) ?? 0, folds };
}
