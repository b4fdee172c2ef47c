import Link from "next/link";
import { notFound, redirect } from "next/navigation";
import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { findAnything } from "#lib/console/find.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { Id } from "../../../_components/id.tsx";
import { OutsideText } from "../../../_components/outside-text.tsx";
import { PageBar } from "../../../_components/page-bar.tsx";
import { readSegment } from "../../read-text.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Find" };

/** Leads from any id to its page; where it could mean several things, says which. */
export default async function GoToPage({ params }: { params: Promise<{ id: string }> }) {
  await requirePage("inbox.read");
  const id = readSegment((await params).id);
  const findings = id ? await withDeadline(findAnything(readDb(), id)) : [];
  if (findings.length === 0) notFound();
  if (findings.length === 1) redirect(findings[0]!.href);
  return (
    <>
      <PageBar title={<h1>Which one?</h1>} />
      <section className="panel" aria-label="What this id could mean">
        <ul>
          {findings.map((finding) => (
            <li key={finding.href} className="part flex flex-wrap gap-3">
              <Link className="link font-semibold" href={finding.href}>
                {finding.what} <Id>{finding.id}</Id>
              </Link>
              <span className="text-ink-2">
                <OutsideText>{finding.detail}</OutsideText>
              </span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
