export type Placeholder = "id" | "timestamp" | "body";
export type TemplatePart = { text: string } | { placeholder: Placeholder };

const PLACEHOLDERS: readonly string[] = ["id", "timestamp", "body"] satisfies Placeholder[];

export type TemplateResult = { ok: true; parts: readonly TemplatePart[] } | { ok: false; why: string };

/**
 * Splits a signed-content template such as `{id}.{timestamp}.{body}`. Refuses what two different deliveries could
 * fill to the same bytes: a signature for one would then be good for the other.
 */
export function parseTemplate(template: string): TemplateResult {
  const parts: TemplatePart[] = [];
  for (const piece of template.split(/(\{[^{}]*\})/).filter(Boolean)) {
    const name = /^\{(.*)\}$/.exec(piece)?.[1];
    if (name === undefined && /[{}]/.test(piece)) return { ok: false, why: "has a single brace" };
    if (name !== undefined && !PLACEHOLDERS.includes(name)) {
      return { ok: false, why: `has the unknown placeholder {${name}}` };
    }
    parts.push(name === undefined ? { text: piece } : { placeholder: name as Placeholder });
  }
  const why = findAmbiguity(parts);
  return why ? { ok: false, why } : { ok: true, parts };
}

function findAmbiguity(parts: readonly TemplatePart[]): string | null {
  const names = parts.flatMap((part) => ("placeholder" in part ? [part.placeholder] : []));
  if (!names.includes("body")) return "does not contain {body}, so anything could be sent under a signature";
  if (new Set(names).size < names.length) return "names a placeholder twice";
  for (const [at, part] of parts.entries()) {
    const before = parts[at - 1];
    const after = parts[at + 1];
    if ("text" in part) {
      // Digits or letters as separator could as well belong to the value beside them.
      if (before && after && /^[A-Za-z0-9]|[A-Za-z0-9]$/.test(part.text)) {
        return "has a separator that begins or ends with a letter or digit";
      }
    } else if (after && "placeholder" in after && ![part.placeholder, after.placeholder].includes("body")) {
      return "puts {id} and {timestamp} together without a separator";
    }
  }
  return null;
}
