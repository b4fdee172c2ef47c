/** A shell variable of the snippet, and the mark that stands for it in a JSON body while that is being made. */
export type Variable = { name: string; mark: string; isText: boolean };
/** Literal text, or the value of a variable. */
export type Piece = string | Variable;

export const VARIABLES = {
  id: { name: "ID", mark: "@@ID@@", isText: true },
  s: { name: "NOW", mark: "@@NOW@@", isText: false },
  ms: { name: "NOW_MS", mark: "@@NOW_MS@@", isText: false },
  iso: { name: "NOW_ISO", mark: "@@NOW_ISO@@", isText: true },
  body: { name: "BODY", mark: "@@BODY@@", isText: true },
  signature: { name: "SIG", mark: "@@SIG@@", isText: true },
} satisfies Record<string, Variable>;

export const variable = (name: keyof typeof VARIABLES): Variable => VARIABLES[name];

/** A text as one word of a POSIX shell, whatever is in it. */
export const quote = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Pieces as one word: text between single quotes, values between double ones. Plain text joins the double quotes. */
export function word(pieces: readonly Piece[]): string {
  if (pieces.every((piece) => typeof piece === "string")) return quote(pieces.join(""));
  const isPlain = pieces.every((piece) => typeof piece !== "string" || /^[\w ./:=@%+,-]*$/.test(piece));
  if (isPlain) {
    return `"${pieces.map((piece) => (typeof piece === "string" ? piece : reference(piece))).join("")}"`;
  }
  return pieces
    .filter((piece) => piece !== "")
    .map((piece) => (typeof piece === "string" ? quote(piece) : `"${reference(piece)}"`))
    .join("");
}

/** Always with braces: the next piece may begin with a letter. */
const reference = ({ name }: Variable) => `\${${name}}`;

/** A JSON text with marks as one word in which the variables are expanded; a number's mark stands without quotes. */
export function bodyWord(json: string): string {
  let text = `'${json.replaceAll("'", "'\\''")}'`;
  for (const each of Object.values(VARIABLES)) {
    const value = `'"${reference(each)}"'`;
    text = each.isText ? text.replaceAll(each.mark, value) : text.replaceAll(`"${each.mark}"`, value);
  }
  return text;
}
