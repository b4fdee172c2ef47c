import { type DiffRow, diffLines } from "#lib/console/line-diff.ts";
import { countOf } from "#lib/console/text.ts";
import { OutsideText } from "../outside-text.tsx";

/** More rows than anybody reads; the whole of both is in the API. */
const MOST_ROWS = 400;

type Props = { first: string; other: string };

/** Two contents side by side, equal stretches folded. Only text nodes. */
export function ContentDiff({ first, other }: Props) {
  const rows = diffLines(first, other);
  const differences = rows.filter((row) => row.kind !== "same" && row.kind !== "folded").length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="payload-box border-t-0! px-0!" tabIndex={0} aria-label="Both contents, line by line">
      <table className="diff">
        <caption className="sr-only">
          {differences === 0
            ? "Laid out, both contents read the same."
            : `${countOf(differences, "line differs", "lines differ")}.`}
        </caption>
        <thead>
          <tr>
            <th scope="col">The event’s own</th>
            <th scope="col">This one</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, at) => (
            <Row key={at} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS ? (
        <p className="part text-ink-2">
          The first {MOST_ROWS} lines; there are {rows.length}.
        </p>
      ) : null}
    </section>
  );
}

function Row({ row }: { row: DiffRow }) {
  if (row.kind === "folded") {
    return (
      <tr>
        <td className="folded" colSpan={2}>
          {countOf(row.lines, "equal line")}
        </td>
      </tr>
    );
  }
  const left = "left" in row ? row.left : null;
  const right = "right" in row ? row.right : null;
  return (
    <tr>
      <Cell text={left} mark={row.kind === "same" ? null : "removed"} />
      <Cell text={right} mark={row.kind === "same" ? null : "added"} isTwin={row.kind === "same"} />
    </tr>
  );
}

const MARKS = {
  removed: { glyph: "− ", word: "only in the first: " },
  added: { glyph: "+ ", word: "only in this one: " },
};

type CellProps = { text: string | null; mark: keyof typeof MARKS | null; isTwin?: boolean };

/** `isTwin`: the line stands on the left already, which is enough where both are one below the other. */
function Cell({ text, mark, isTwin }: CellProps) {
  if (text === null) return <td className="none" />;
  return (
    <td className={mark ?? (isTwin ? "twin" : "")}>
      {mark ? (
        <>
          <span aria-hidden="true">{MARKS[mark].glyph}</span>
          <span className="sr-only">{MARKS[mark].word}</span>
        </>
      ) : (
        "  "
      )}
      <OutsideText>{text}</OutsideText>
    </td>
  );
}
