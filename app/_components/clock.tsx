import { clock, dayAndClock, exactUtc, toMillis } from "#lib/console/time.ts";

type Props = { at: string; zone: string; withDay?: boolean; className?: string };

/** A time of day in the viewer's zone, exact UTC in its title. */
export function Clock({ at, zone, withDay, className = "" }: Props) {
  return (
    <time className={className} dateTime={new Date(toMillis(at)).toISOString()} title={exactUtc(at)}>
      {withDay ? dayAndClock(at, zone) : clock(at, zone)}
    </time>
  );
}
