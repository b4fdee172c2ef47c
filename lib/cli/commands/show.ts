import { getEvent } from "#lib/api/endpoints/inbox.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../failure.ts";
import { showText, writeTable } from "../table.ts";

export const show: Command = {
  name: "show",
  usage: "ID",
  summary: "Show an inbox event with its attempts and effects",
  options: {},
  positionals: ["ID"],
  async run({ positionals: [id] }, { client, print }) {
    const event = await client(getEvent, { params: { id: id! } });
    print(event, () =>
      [
        `${showText(event.type)} ${showText(event.eventId)} of ${event.source} ${showText(event.account)}`,
        `${event.outcome ?? event.failureClass ?? event.status}: ${showText(event.why ?? "-")}`,
        `received ${event.receivedAt}, delivered ${event.deliveries.count} times, ${event.conflicts} conflicts`,
        writeTable(
          ["attempt", "kind", "result", "why"],
          event.attemptLog.map((attempt) => [
            attempt.startedAt,
            attempt.actor ?? attempt.kind,
            attempt.result,
            attempt.why,
          ]),
        ),
        writeTable(
          ["effect", "outcome", "why"],
          event.effects.map((effect) => [effect.effect, effect.outcome, effect.why]),
        ),
      ].join("\n\n"),
    );
    return EXIT.done;
  },
};
