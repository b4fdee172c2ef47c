import { readFileSync } from "node:fs";
import { join } from "node:path";

let version: string | undefined;

/**
 * This application's version. Looked for in the working directory, which is the project's in all our processes: Next
 * bundles this module, so the place of its file says nothing.
 */
export function appVersion(): string {
  version ??= (JSON.parse(readFileSync(join(process.cwd(), "package.json"), "utf8")) as { version: string })
    .version;
  return version;
}
