import { CopyButton } from "../copy-button.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

/** Ready lines for a terminal, with this source's address. The secret is asked for, not written down. */
export function SnippetPanel({ snippet, why }: { snippet: string | null; why: string }) {
  return (
    <Panel title="By hand" aside={snippet ? <CopyButton text={snippet}>Copy lines</CopyButton> : undefined}>
      {snippet ? (
        <>
          <p className="part text-ink-2">
            For bash or zsh, with openssl and curl: asks for the secret, signs an event without effect as this
            sender would, and sends it to the public address.
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className="payload-box" tabIndex={0} aria-label="Lines for a terminal">
            <pre className="payload">
              <OutsideText>{snippet}</OutsideText>
            </pre>
          </section>
        </>
      ) : (
        <p className="part text-ink-2">{why}</p>
      )}
    </Panel>
  );
}
