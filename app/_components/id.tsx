import { revealPlain, shortId } from "#lib/console/text.ts";
import { OutsideText } from "./outside-text.tsx";

/** An id in mono; shortened in the middle unless `full`, with the whole of it in the title. */
export function Id({
  children,
  full,
  className = "",
}: {
  children: string;
  full?: boolean;
  className?: string;
}) {
  return (
    <code className={className} title={full ? undefined : revealPlain(children)}>
      <OutsideText>{full ? children : shortId(children)}</OutsideText>
    </code>
  );
}
