import Link from "next/link";
import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { FEEDBACK_STATUSES } from "#db/states.ts";
import { decodeCursor } from "#lib/api/cursor.ts";
import { countFeedback, listFeedback } from "#lib/feedback/list-feedback.ts";
import { FeedbackTable } from "../../_components/feedback/feedback-table.tsx";
import { FeedbackTabs } from "../../_components/feedback/feedback-tabs.tsx";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { load } from "../load.ts";
import { readText } from "../read-text.ts";
import { moveFeedback } from "./actions.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Feedback" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function FeedbackPage({ searchParams }: Props) {
  await requirePage("feedback.read");
  const search = await searchParams;
  const status = FEEDBACK_STATUSES.find((name) => name === readText(search.status));
  const after = decodeCursor(readText(search.after) ?? "");
  const page = await load(
    "feedback",
    Promise.all([listFeedback(readDb(), { status }, 50, after), countFeedback(readDb())]),
  );
  if (!page.ok) return <ProblemPanel problem={page.problem} what="Feedback" />;
  const [{ items, nextCursor }, counts] = page.value;
  return (
    <>
      <PageBar title={<h1>Feedback</h1>} />
      <FeedbackTabs counts={counts} current={status ?? null} />
      <FeedbackTable items={items} move={moveFeedback} now={new Date().toISOString()} />
      {nextCursor ? (
        <p className="mt-3 flex justify-end">
          <Link
            className="btn"
            href={`/feedback?${new URLSearchParams({ ...(status ? { status } : {}), after: nextCursor })}`}
          >
            Older
          </Link>
        </p>
      ) : null}
    </>
  );
}
