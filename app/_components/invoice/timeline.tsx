import { day, duration } from "#lib/console/time.ts";
import type { Step, Waterfall } from "#lib/console/waterfall.ts";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

type Props = { waterfall: Waterfall; zone: string };

/** What happened, on one axis. Bars are drawn with attributes, not styles, so that a strict policy lets them be. */
export function Timeline({ waterfall, zone }: Props) {
  const { steps, folds, from, to } = waterfall;
  const withDay = day(from, zone) !== day(to, zone);
  return (
    <Panel
      title="Timeline"
      aside={
        <>
          <Clock at={from} zone={zone} withDay={withDay} /> to <Clock at={to} zone={zone} withDay={withDay} />
          {folds.length > 0 ? ", gaps folded" : ""}
        </>
      }
    >
      <ol className="waterfall">
        {steps.map((step) => (
          <TimelineStep key={step.key} step={step} folds={folds} />
        ))}
      </ol>
    </Panel>
  );
}

function TimelineStep({ step, folds }: { step: Step; folds: number[] }) {
  return (
    <li className="step">
      <span className="label">
        <OutsideText>{step.label}</OutsideText>
      </span>
      <svg aria-hidden="true">
        {folds.map((fold) => (
          <line key={fold} className="fold" x1={`${fold}%`} x2={`${fold}%`} y1="0" y2="100%" />
        ))}
        <rect className={step.tone} x={`${step.x}%`} y="27%" width={`${step.width}%`} height="46%" rx="2" />
      </svg>
      <span className="length">{step.length === null ? "" : duration(step.length)}</span>
    </li>
  );
}
