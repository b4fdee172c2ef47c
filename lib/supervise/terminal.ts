import { styleText } from "node:util";

const interactive = process.stdout.isTTY === true;

/** A line for the person who started us. Children write their own logs. */
export function say(text: string): void {
  process.stdout.write(`${styleText("dim", "·")} ${text}\n`);
}

export function complain(text: string): void {
  process.stderr.write(`${text.trimEnd()}\n`);
}

/** Tells what takes long; on a terminal with its seconds counting, elsewhere as a line before and a line after. */
export async function withProgress<T>(text: string, work: () => Promise<T>): Promise<T> {
  const start = Date.now();
  const seconds = () => `${Math.round((Date.now() - start) / 1000)} s`;
  if (!interactive) say(`${text} …`);
  const show = () => process.stdout.write(`\r${styleText("dim", "·")} ${text} … ${seconds()} `);
  const timer = interactive ? setInterval(show, 1000) : undefined;
  if (interactive) show();
  try {
    const result = await work();
    if (interactive) process.stdout.write(`\r\x1b[K`);
    say(`${text}: ${seconds()}`);
    return result;
  } catch (error) {
    if (interactive) process.stdout.write("\n");
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** A closed pipe (npm start | head) must not end the supervisor. */
export function ignoreClosedOutput(): void {
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
}
