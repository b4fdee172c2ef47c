import type { ReactNode } from "react";

type Props = { title: string; aside?: ReactNode; id?: string; children: ReactNode };

/** A sheet with a heading, and at its right what there is to say about the whole. */
export function Panel({ title, aside, id, children }: Props) {
  const heading = id ?? `panel-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  return (
    <section className="panel" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        {aside === undefined ? null : <span className="text-1 text-ink-3 num">{aside}</span>}
      </header>
      {children}
    </section>
  );
}
