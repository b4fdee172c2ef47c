import { CHECKLIST_WORDS } from "#lib/console/contract-words.ts";
import type { Confirmation, SourcePage } from "#lib/console/source-page.ts";
import { countOf } from "#lib/console/text.ts";
import { CHECKLIST, type ChecklistItem } from "#lib/sources/contract-schema.ts";
import { Badge } from "../badge.tsx";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { type ReasonAction, ReasonDialog } from "../reason-dialog.tsx";

type Props = {
  page: Pick<SourcePage, "contract" | "confirmations" | "waiting">;
  zone: string;
  confirm: (item: ChecklistItem) => ReasonAction;
};

/** What a person must see to before this sender's events are processed, and who has. */
export function ChecklistPanel({ page: { contract, confirmations, waiting }, zone, confirm }: Props) {
  const confirmed = contract?.confirmed ?? [];
  const aside = `${confirmed.length} of ${CHECKLIST.length} confirmed`;
  return (
    <Panel title="Checklist" aside={aside}>
      {waiting > 0 ? (
        <p className="part">
          {countOf(waiting, "event waits", "events wait")} for this. The last confirmation lets them go on.
        </p>
      ) : null}
      <ul className="border-t border-line">
        {CHECKLIST.map((item) => (
          <Item
            key={item}
            item={item}
            isConfirmed={confirmed.includes(item)}
            by={confirmations.findLast((each) => each.item === item)}
            zone={zone}
            action={confirm(item)}
          />
        ))}
      </ul>
    </Panel>
  );
}

type ItemProps = {
  item: ChecklistItem;
  isConfirmed: boolean;
  by: Confirmation | undefined;
  zone: string;
  action: ReasonAction;
};

function Item({ item, isConfirmed, by, zone, action }: ItemProps) {
  const { title, asks } = CHECKLIST_WORDS[item];
  return (
    <li className="part flex flex-wrap items-start gap-x-4 gap-y-2">
      <div className="flex-1 min-w-[220px]">
        <b className="font-semibold">{title}</b>{" "}
        <Badge
          badge={
            isConfirmed
              ? { tone: "ok", glyph: "✓", word: "confirmed" }
              : { tone: "warn", glyph: "?", word: "open" }
          }
        />
        <p className="text-ink-2">{asks}</p>
        {isConfirmed && by ? (
          <p className="text-1 text-ink-3 [overflow-wrap:anywhere]">
            <OutsideText>{by.by}</OutsideText>, <Clock at={by.at} zone={zone} withDay />
            {by.reason ? (
              <>
                : “<OutsideText>{by.reason}</OutsideText>”
              </>
            ) : null}
          </p>
        ) : null}
      </div>
      {isConfirmed ? null : (
        <ReasonDialog word="Confirm…" title={`Confirm: ${title}`} confirm="Confirm" action={action}>
          {`${asks} Say where you have it from.`}
        </ReasonDialog>
      )}
    </li>
  );
}
