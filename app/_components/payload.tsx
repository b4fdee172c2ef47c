import type { PayloadView } from "#lib/console/payload.ts";
import { OutsideText } from "./outside-text.tsx";

/** A body as it was sent: its own digits, its own order, and nothing in it that could run. */
export function Payload({ view, label }: { view: PayloadView; label: string }) {
  if (view.kind === "gone") return <p className="part text-ink-2">{view.notice}</p>;
  return (
    <>
      {view.notice ? <p className="part text-ink-2">{view.notice}</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="payload-box" tabIndex={0} aria-label={label}>
        <pre className={`payload ${view.kind}`}>
          <OutsideText>{view.text}</OutsideText>
        </pre>
      </section>
    </>
  );
}
