import Link from "next/link";
import type { FeedbackStatus } from "#db/states.ts";
import type { Badge as BadgeLook } from "#lib/console/badge.ts";
import { eventHref } from "#lib/console/links.ts";
import { countOf } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import type { FeedbackItem } from "#lib/feedback/list-feedback.ts";
import { Ago } from "../ago.tsx";
import { Badge } from "../badge.tsx";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { FeedbackActions, type MoveFeedback } from "./feedback-actions.tsx";

const BADGES: Record<FeedbackStatus, BadgeLook> = {
  new: { tone: "wait", glyph: "•", word: "new" },
  acknowledged: { tone: "ok", glyph: "✓", word: "acknowledged" },
  assigned: { tone: "ok", glyph: "→", word: "assigned" },
  escalated: { tone: "bad", glyph: "!", word: "escalated" },
  resolved: { tone: "mute", glyph: "=", word: "resolved" },
};

type Props = { items: FeedbackItem[]; move: MoveFeedback; now: string };

/** Feedback, newest first, with what a person can do about it. */
export function FeedbackTable({ items, move, now }: Props) {
  return (
    <section className="panel" aria-label="Feedback">
      {items.length === 0 ? (
        <Blank title="No feedback here">
          Events that a source's contract calls feedback appear here, each with its alert.
        </Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Feedback</th>
                <th scope="col">What it says</th>
                <th scope="col">Project</th>
                <th scope="col">Alerts</th>
                <th scope="col" className="num">
                  Came
                </th>
                <th scope="col">Do</th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <FeedbackRow key={item.event} item={item} move={move} now={toMillis(now)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function FeedbackRow({ item, move, now }: { item: FeedbackItem; move: MoveFeedback; now: number }) {
  const { source, project, feedback, version, status } = item;
  return (
    <tr>
      <td className="lead">
        <Badge badge={BADGES[status]} />
        {item.assignee ? (
          <span className="text-ink-3">
            {" "}
            <OutsideText>{item.assignee}</OutsideText>
          </span>
        ) : null}
      </td>
      <td>
        <Link className="quiet-link" href={eventHref(item.event)} prefetch={false}>
          <Id>{feedback}</Id>
        </Link>
      </td>
      <td className="line">
        {item.category ? (
          <b className="font-semibold">
            <OutsideText>{`${item.category} `}</OutsideText>
          </b>
        ) : null}
        {item.text ? <OutsideText>{item.text.slice(0, 200)}</OutsideText> : "–"}
      </td>
      <td>
        {source} <Id className="text-ink-3">{project}</Id>
      </td>
      <td title={item.alerts.map(({ operation }) => operation).join(", ")}>
        {countOf(item.alerts.length, "alert")}
      </td>
      <td className="num when text-ink-2">
        <Ago at={item.createdAt} now={now} />
      </td>
      <td>
        <FeedbackActions
          feedback={{ source, project, feedback }}
          version={version}
          status={status}
          move={move}
        />
      </td>
    </tr>
  );
}
