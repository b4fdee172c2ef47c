import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { waitForLock } from "#db/embedded/lock.ts";
import { say, withProgress } from "./terminal.ts";

/** Not tsconfig.json: the build itself rewrites it. */
const SOURCES = ["app", "db", "lib", "public", "next.config.ts", "package-lock.json", "postcss.config.mjs"];

/**
 * Runs `next build` unless .next was built from these very sources. Compared by content: after a checkout or a
 * container build the times of files say nothing. Two starts in one directory build one after the other.
 */
export async function buildConsole(root: string, signal: AbortSignal): Promise<void> {
  if (await isBuilt(root)) return;
  const lock = await waitForLock(join(root, ".next/cache/counterfoil.lock"), signal, () =>
    say("Another start is building the console; waiting for it"),
  );
  try {
    if (await isBuilt(root)) return;
    const sources = await hashSources(root);
    await withProgress("Building the console", () => runBuild(root, signal));
    await writeFile(stampOf(root), await describeBuild(root, sources));
  } finally {
    lock.release();
  }
}

async function isBuilt(root: string): Promise<boolean> {
  try {
    return (await readFile(stampOf(root), "utf8")) === (await describeBuild(root, await hashSources(root)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const stampOf = (root: string) => join(root, ".next/counterfoil-build");

/** With Next's own id, so that somebody else's build in the same place is not taken for ours. */
async function describeBuild(root: string, sources: string): Promise<string> {
  return `${sources} ${(await readFile(join(root, ".next/BUILD_ID"), "utf8")).trim()}\n`;
}

async function hashSources(root: string): Promise<string> {
  const hash = createHash("sha256").update(process.version);
  for (const path of SOURCES) await addToHash(hash, root, path);
  return hash.digest("hex");
}

async function addToHash(hash: ReturnType<typeof createHash>, root: string, path: string): Promise<void> {
  try {
    const content = await readFile(join(root, path));
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (code !== "EISDIR") throw error;
    for (const name of (await readdir(join(root, path))).sort())
      await addToHash(hash, root, `${path}/${name}`);
  }
}

async function runBuild(root: string, signal: AbortSignal): Promise<void> {
  const next = createRequire(import.meta.url).resolve("next/dist/bin/next");
  const child = spawn(process.execPath, [next, "build"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
  });
  // The whole group: next build has workers of its own.
  const kill = () => process.kill(-child.pid!, "SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
  }
  const [code] = await once(child, "close");
  signal.removeEventListener("abort", kill);
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`The console could not be built (next build):\n${output}`);
}
