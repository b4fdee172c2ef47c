import { describeProcessEvent, type WorkersView } from "#lib/console/workers.ts";
import { Blank } from "../blank.tsx";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

/** Deaths and restarts as the supervisors saw them, newest first. */
export function EventsPanel({ events, zone }: { events: WorkersView["events"]; zone: string }) {
  return (
    <Panel title="Deaths and restarts" aside={events.length === 50 ? "the newest 50" : events.length}>
      {events.length === 0 ? (
        <Blank title="None so far" />
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">Where</th>
                <th scope="col">When</th>
              </tr>
            </thead>
            <tbody>
              {events.map((event) => (
                <tr key={event.id}>
                  <td className="lead">{describeProcessEvent(event)}</td>
                  <td className="text-ink-2">
                    <OutsideText>{event.host}</OutsideText>
                  </td>
                  <td className="text-ink-2">
                    <Clock at={event.at} zone={zone} withDay />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
