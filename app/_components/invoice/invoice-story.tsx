import type { ReactNode } from "react";
import { toSlips } from "#lib/console/slips.ts";
import { day } from "#lib/console/time.ts";
import { toWaterfall } from "#lib/console/waterfall.ts";
import type { InvoiceTrace } from "#lib/trace/types.ts";
import { OutsideText } from "../outside-text.tsx";
import { Slip } from "./slip.tsx";
import { Timeline } from "./timeline.tsx";

type Props = { trace: InvoiceTrace; zone: string; children: ReactNode };

/** The sentence first; then slip by slip, and all of it on one axis. `children` stand beside. */
export function InvoiceStory({ trace, zone, children }: Props) {
  const slips = toSlips(trace);
  const waterfall = toWaterfall(trace);
  const withDay = new Set(slips.map((slip) => day(slip.at, zone))).size > 1;
  return (
    <>
      <p className="sentence">
        <OutsideText>{trace.sentence}</OutsideText>
      </p>
      <div className="side">
        <div className="stack gap-2!">
          <h2 className="sr-only">What happened</h2>
          {slips.map((slip) => (
            <Slip key={slip.key} slip={slip} zone={zone} withDay={withDay} />
          ))}
          {trace.complete ? null : (
            <p className="text-2 text-ink-2">So much happened that only the first part is shown here.</p>
          )}
          {waterfall ? <Timeline waterfall={waterfall} zone={zone} /> : null}
        </div>
        <aside className="stack" aria-label="About this invoice">
          {children}
        </aside>
      </div>
    </>
  );
}
