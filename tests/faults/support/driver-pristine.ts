import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Entry files of the driver as it is installed, with our patch. */
export const PATCHED_ESM = join(ROOT, "node_modules/postgres/src/index.js");
export const PATCHED_CJS = join(ROOT, "node_modules/postgres/cjs/src/index.js");

/** The driver as upstream publishes it: a copy of the installed one with our patch taken back. */
export async function copyPristineDriver(): Promise<{ entry: string; remove(): Promise<void> }> {
  const project = await mkdtemp(join(tmpdir(), "counterfoil-pristine-"));
  const patch = (await readdir(join(ROOT, "db/patches"))).find((name) => name.startsWith("postgres+"));
  if (!patch) throw new Error("db/patches holds no patch for postgres");
  await writeFile(join(project, "package.json"), "{}");
  await cp(join(ROOT, "db/patches", patch), join(project, "patches", patch));
  await cp(join(ROOT, "node_modules/postgres"), join(project, "node_modules/postgres"), { recursive: true });
  const patchPackage = join(ROOT, "node_modules/patch-package/index.js");
  await promisify(execFile)(process.execPath, [patchPackage, "--reverse", "--error-on-fail"], {
    cwd: project,
  });
  return {
    entry: join(project, "node_modules/postgres/src/index.js"),
    remove: () => rm(project, { recursive: true, force: true }),
  };
}
