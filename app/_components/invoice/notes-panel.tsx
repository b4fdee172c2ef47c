import type { ReactNode } from "react";
import type { NoteItem } from "#lib/trace/types.ts";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

/** What people wrote beside an invoice, newest first, and the field for one more. */
export function NotesPanel({ notes, zone, form }: { notes: NoteItem[]; zone: string; form: ReactNode }) {
  return (
    <Panel title="Notes" aside={notes.length}>
      {notes.map((note) => (
        <div key={note.id} className="part">
          <b className="font-semibold">
            <OutsideText>{note.author}</OutsideText>
          </b>{" "}
          <Clock at={note.at} zone={zone} withDay className="text-ink-3" />
          <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
            <OutsideText>{note.text}</OutsideText>
          </p>
        </div>
      ))}
      <div className="part">{form}</div>
    </Panel>
  );
}
