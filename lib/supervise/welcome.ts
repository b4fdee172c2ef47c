import { styleText } from "node:util";

export type Welcome = {
  publicUrl: string;
  consoleToken: string;
  /** Whether the sample was seeded, that is, whether the database is the embedded one. */
  sample: boolean;
  variables: Record<string, string | undefined>;
};

const WHERE = ["DATA_DIR", "HOST", "PORT", "PUBLIC_URL"];

/** What a newcomer needs, and no more: where it is, how to get in, what to try. */
export function writeWelcome({ publicUrl, consoleToken, sample, variables }: Welcome): string {
  const line = (label: string, text: string) => `  ${styleText("dim", label.padEnd(8))}${text}`;
  const lines = ["", styleText("bold", `  Counterfoil is running at ${publicUrl}`), ""];
  lines.push(line("Get in", styleText("cyan", `${publicUrl}/enter?token=${consoleToken}`)));
  if (sample) {
    lines.push(line("Try it", `${repeatVariables(variables)}npm run cli -- sample`));
    lines.push(
      line(
        "",
        styleText("dim", "signs a paid invoice and sends it: 100 credits, once, however often it comes"),
      ),
    );
  }
  lines.push(line("Stop", "Ctrl-C"), "");
  return `${lines.join("\n")}\n`;
}

/** Another terminal does not have our variables, so a command that works there repeats what differs. */
function repeatVariables(variables: Record<string, string | undefined>): string {
  return WHERE.filter((name) => variables[name]?.trim())
    .map((name) => `${name}=${quote(variables[name]!)} `)
    .join("");
}

function quote(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
