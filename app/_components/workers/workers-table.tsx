import type { Badge as BadgeLook } from "#lib/console/badge.ts";
import { number } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import type { WorkerRow } from "#lib/console/workers.ts";
import { Ago } from "../ago.tsx";
import { Badge } from "../badge.tsx";
import { Blank } from "../blank.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

const STATES: Record<WorkerRow["state"], BadgeLook> = {
  alive: { tone: "ok", glyph: "●", word: "alive" },
  silent: { tone: "bad", glyph: "!", word: "silent" },
  ended: { tone: "mute", glyph: "×", word: "ended" },
};

/** The processes of the last day: what each is, whether it lives, and what it has at work. */
export function WorkersTable({ workers, now }: { workers: WorkerRow[]; now: string }) {
  const alive = workers.filter(({ state }) => state === "alive").length;
  return (
    <Panel title="Processes of the last day" aside={`${alive} alive`}>
      {workers.length === 0 ? (
        <Blank title="None was seen">Start one with npm run worker.</Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Role</th>
                <th scope="col">Where</th>
                <th scope="col">Version</th>
                <th scope="col" className="num">
                  At work
                </th>
                <th scope="col">Heartbeat</th>
                <th scope="col">Started</th>
              </tr>
            </thead>
            <tbody>
              {workers.map((worker) => (
                <tr key={worker.id}>
                  <td className="lead">
                    <Badge badge={STATES[worker.state]} />
                  </td>
                  <td>{worker.role === "alone" ? "worker for one event alone" : worker.role}</td>
                  <td className="text-ink-2">
                    <OutsideText>{worker.host}</OutsideText>, pid {worker.pid}
                  </td>
                  <td className="num">{worker.version}</td>
                  <td className="num">{worker.claimed > 0 ? number(BigInt(worker.claimed)) : "–"}</td>
                  <td className="text-ink-2">
                    <Ago at={worker.seenAt} now={toMillis(now)} />
                  </td>
                  <td className="text-ink-2">
                    <Ago at={worker.startedAt} now={toMillis(now)} />
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
