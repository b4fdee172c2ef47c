import type { DeliveryRow, EventRow } from "#lib/console/event.ts";
import { duration, toMillis } from "#lib/console/time.ts";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

type Props = { event: EventRow; deliveries: DeliveryRow[]; zone: string };

/** The same event, come again. The first delivery is the event's own row. */
export function DeliveriesPanel({ event, deliveries, zone }: Props) {
  if (deliveries.length === 0) return null;
  return (
    <Panel title="Deliveries" aside={`${event.deliveries} in all`}>
      <ul className="part grid gap-1">
        {deliveries.map((delivery) => (
          <li key={delivery.ordinal} className="flex gap-3">
            <span className="num text-ink-3">{delivery.ordinal}.</span>
            <Clock at={delivery.receivedAt} zone={zone} />
            <span className="text-ink-2">
              after {duration(toMillis(delivery.receivedAt) - toMillis(event.receivedAt))}
              {delivery.origin === "sender" || delivery.origin === "webhook" ? null : (
                <>
                  , by <OutsideText>{delivery.origin}</OutsideText>
                </>
              )}
              {delivery.differs ? ", in other bytes" : ""}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
