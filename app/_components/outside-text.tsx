import { revealText } from "#lib/console/text.ts";

/**
 * Text that came from outside (a payload, a sender's id, a name): isolated, so that it cannot turn the text around
 * it, with hidden characters made visible. Only text nodes.
 */
export function OutsideText({ children }: { children: string }) {
  return (
    <bdi>
      {revealText(children).map((part, index) =>
        "text" in part ? (
          part.text
        ) : (
          <span key={index} className="mark" title="a hidden character">
            {part.mark}
          </span>
        ),
      )}
    </bdi>
  );
}
