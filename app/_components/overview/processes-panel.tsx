import Link from "next/link";
import type { Processes, ProcessRow } from "#lib/console/processes.ts";
import { countOf } from "#lib/console/text.ts";
import { duration, toMillis } from "#lib/console/time.ts";
import { describeProcessEvent } from "#lib/console/workers.ts";
import { Badge } from "../badge.tsx";
import { Clock } from "../clock.tsx";
import { Panel } from "../panel.tsx";

type Props = { processes: Processes; now: number; zone: string };

/** Who is alive, and what the supervisor had to start again. */
export function ProcessesPanel({ processes, now, zone }: Props) {
  const { alive, restarts, latest } = processes;
  const workers = alive.filter((process) => process.role === "worker").length;
  return (
    <Panel title="Processes" aside={`${alive.length} alive`}>
      {workers === 0 ? (
        <p className="part">
          <Badge badge={{ tone: "bad", glyph: "!", word: "no worker" }} /> Events are received and kept, and
          nothing processes them. Start one with <code>npm run worker</code>.
        </p>
      ) : null}
      <ul className="part grid gap-2">
        {alive.map((process) => (
          <AliveProcess key={process.id} process={process} now={now} />
        ))}
      </ul>
      <div className="part">
        <p className={restarts > 0 ? "" : "text-ink-2"}>
          {restarts === 0
            ? "No restarts in the last day."
            : `${countOf(restarts, "restart")} in the last day.`}{" "}
          <Link href="/workers">All processes</Link>
        </p>
        {latest.length > 0 ? (
          <ul className="mt-1 text-1 text-ink-2">
            {latest.map((event) => (
              <li key={`${event.at} ${event.process} ${event.what}`}>
                <Clock at={event.at} zone={zone} withDay /> {describeProcessEvent(event)}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </Panel>
  );
}

function AliveProcess({ process, now }: { process: ProcessRow; now: number }) {
  return (
    <li className="flex items-center gap-2">
      <Badge badge={{ tone: "ok", glyph: "●", word: process.role }} />
      <span className="text-ink-2 truncate">
        {process.host}, pid {process.pid}
      </span>
      <span className="ml-auto text-ink-3 num whitespace-nowrap">
        up {duration(now - toMillis(process.startedAt))}
      </span>
    </li>
  );
}
