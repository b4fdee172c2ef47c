import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { db } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { loadBalance, paidAmount, replayChoices } from "#lib/console/invoice-facts.ts";
import { NOTE_LIMIT } from "#lib/console/notes.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { revealPlain } from "#lib/console/text.ts";
import { loadInvoiceTrace } from "#lib/trace/invoice.ts";
import { CopyButton } from "../../../../../_components/copy-button.tsx";
import { Id } from "../../../../../_components/id.tsx";
import { InvoiceFacts } from "../../../../../_components/invoice/invoice-facts.tsx";
import { InvoiceStory } from "../../../../../_components/invoice/invoice-story.tsx";
import { NoteForm } from "../../../../../_components/invoice/note-form.tsx";
import { NotesPanel } from "../../../../../_components/invoice/notes-panel.tsx";
import { PrintButton } from "../../../../../_components/invoice/print-button.tsx";
import { PageBar } from "../../../../../_components/page-bar.tsx";
import { ReplayButton } from "../../../../../_components/replay/replay-button.tsx";
import { AutoRefresh } from "../../../../../_components/shell/auto-refresh.tsx";
import { readViewer } from "../../../../viewer.ts";
import { keepNote } from "./actions.ts";
import { type InvoiceParams, readKey } from "./params.ts";

export const dynamic = "force-dynamic";

type Props = { params: Promise<InvoiceParams> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const key = readKey(await params);
  return { title: key ? revealPlain(key.invoice) : "Invoice" };
}

export default async function InvoicePage({ params }: Props) {
  await requirePage("trace.read");
  const key = readKey(await params);
  const [{ zone }, trace] = await Promise.all([
    readViewer(),
    key ? withDeadline(loadInvoiceTrace(db(), key)) : null,
  ]);
  if (!key || !trace) notFound();
  const balance = trace.workspace ? await withDeadline(loadBalance(db(), trace.workspace.id)) : null;
  const notes = trace.items.filter((item) => item.kind === "note").toReversed();
  const grants = trace.items.filter(
    (item) => item.kind === "entry" && item.operation === "initial-credit-grant",
  );
  return (
    <>
      <PageBar
        title={
          <h1 className="flex gap-3 items-baseline text-3! font-normal! tracking-normal! min-w-0">
            <Link className="text-ink-3 quiet-link" href="/invoices">
              Invoices
            </Link>
            <span className="text-ink-3" aria-hidden="true">
              /
            </span>
            <Id full className="truncate">
              {key.invoice}
            </Id>
          </h1>
        }
      >
        <CopyButton>Copy link</CopyButton>
        <PrintButton />
        <ReplayButton choices={replayChoices(trace)} />
      </PageBar>
      <AutoRefresh on="change" />
      <InvoiceStory trace={trace} zone={zone}>
        <InvoiceFacts trace={trace} balance={balance} amount={paidAmount(trace)} grants={grants.length} />
        <NotesPanel
          notes={notes}
          zone={zone}
          form={<NoteForm action={keepNote.bind(null, key)} limit={NOTE_LIMIT} />}
        />
      </InvoiceStory>
    </>
  );
}
