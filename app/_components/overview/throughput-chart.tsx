import { type ChartShape, chartShape } from "#lib/console/chart.ts";
import { number } from "#lib/console/text.ts";
import type { Minute } from "#lib/console/throughput.ts";
import { clockMinute } from "#lib/console/time.ts";
import { Panel } from "../panel.tsx";

/** Received and done per minute over the last hour: drawn lines, words in HTML, and a table with every figure. */
export function ThroughputChart({ minutes, zone }: { minutes: Minute[]; zone: string }) {
  const shape = chartShape(minutes);
  return (
    <Panel title="Received and done" aside="events per minute, last hour">
      <div className="chart" aria-hidden="true">
        <div className="ys num">
          {shape.ticks.map((tick) => (
            <span key={tick}>{number(tick)}</span>
          ))}
        </div>
        <Lines shape={shape} />
        <div className="xs num">
          {[0, 15, 30, 45, 59].map((at) => (
            <span key={at}>{clockMinute(minutes[at]!.minute * 60_000, zone)}</span>
          ))}
        </div>
      </div>
      <Legend minutes={minutes} />
      <details className="px-4 pb-3 text-1 text-ink-2">
        <summary className="cursor-pointer">Figures as a table</summary>
        <FigureTable minutes={minutes} zone={zone} />
      </details>
    </Panel>
  );
}

function Lines({ shape }: { shape: ChartShape }) {
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="presentation">
      {shape.ticks.map((tick, index) => {
        const y = (index / (shape.ticks.length - 1)) * 100;
        return <line key={tick} className="grid" x1="0" x2="100" y1={y} y2={y} />;
      })}
      <path className="area" d={`${shape.done} L100,100 L0,100 Z`} />
      <path className="received" d={shape.received} />
      <path className="done" d={shape.done} />
    </svg>
  );
}

function Legend({ minutes }: { minutes: Minute[] }) {
  const total = (of: "received" | "done") => number(minutes.reduce((sum, minute) => sum + minute[of], 0));
  return (
    <p className="px-4 pb-2 flex flex-wrap gap-x-4">
      <span className="legend">
        <svg viewBox="0 0 20 8" aria-hidden="true">
          <path className="received" d="M0,4 H20" />
        </svg>
        received, {total("received")} in the hour
      </span>
      <span className="legend">
        <svg viewBox="0 0 20 8" aria-hidden="true">
          <path className="done" d="M0,4 H20" />
        </svg>
        done, {total("done")} in the hour
      </span>
    </p>
  );
}

function FigureTable({ minutes, zone }: { minutes: Minute[]; zone: string }) {
  return (
    <table className="num mt-2 w-full text-left">
      <caption className="sr-only">Events per minute in the last hour, times in {zone}</caption>
      <thead>
        <tr>
          <th scope="col">Minute</th>
          <th scope="col">Received</th>
          <th scope="col">Done</th>
        </tr>
      </thead>
      <tbody>
        {minutes.toReversed().map(({ minute, received, done }) => (
          <tr key={minute}>
            <th scope="row" className="font-normal">
              {clockMinute(minute * 60_000, zone)}
            </th>
            <td>{number(received)}</td>
            <td>{number(done)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
