import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = normalize(join(import.meta.dirname, "../.."));
const FOLDERS = ["app", "db", "lib", "tests", "worker"];
const MOST_LINES = 300;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.(ts|tsx|css|mjs)$/.test(path));

/** What each part may import, of ours and of packages. */
const RULES: Record<string, { ours: string[]; packages?: RegExp; forbidden?: RegExp }> = {
  app: { ours: ["app", "lib", "db"] },
  worker: { ours: ["worker", "lib", "db"], forbidden: /^(next|react)/ },
  lib: { ours: ["lib", "db"], forbidden: /^(next|react)/ },
  db: { ours: ["db"], forbidden: /^(next|react)/ },
};

const SOURCE_PACKAGES =
  /^(zod|stripe|@octokit\/webhooks-methods|standardwebhooks|node:crypto|node:buffer|node:util)$/;

function importsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|^\s*import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm,
    ),
  ].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

/** The folder of ours that an import leads to, or null for a package. */
function folderOf(path: string, specifier: string): string | null {
  if (specifier.startsWith("#")) return specifier.slice(1).split("/")[0]!;
  if (!specifier.startsWith(".")) return null;
  return normalize(join(dirname(path), specifier)).split("/")[0]!;
}

describe("the shape of the tree", () => {
  it("has no other folder than the named ones", () => {
    const tops = new Set(
      execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
        .split("\n")
        .filter((path) => path.includes("/"))
        .map((path) => path.split("/")[0]),
    );
    expect([...tops].filter((top) => ![...FOLDERS, "docs", ".ci"].includes(top!))).toEqual([]);
  });

  it("has no file over 300 lines", () => {
    const long = files.filter(
      (path) => readFileSync(join(ROOT, path), "utf8").split("\n").length > MOST_LINES + 1,
    );
    expect(long).toEqual([]);
  });

  it.each(Object.entries(RULES))("%s imports only what it may", (part, rule) => {
    const wrong = files
      .filter((path) => path.startsWith(`${part}/`))
      .flatMap((path) =>
        importsOf(path)
          .filter((specifier) => {
            const folder = folderOf(path, specifier);
            return folder === null ? rule.forbidden?.test(specifier) : !rule.ours.includes(folder);
          })
          .map((specifier) => `${path} imports ${specifier}`),
      );
    expect(wrong).toEqual([]);
  });

  it("keeps effects pure: no database, no process, no network", () => {
    const wrong = files
      .filter((path) => path.startsWith("lib/effects/"))
      .flatMap((path) =>
        importsOf(path)
          .filter((name) => /^(node:|postgres|drizzle)|client\.ts$/.test(name))
          .map((name) => `${path} imports ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  it("lets senders import only zod, crypto and the official verifiers", () => {
    const rows = files.filter((path) =>
      /^lib\/sources\/(stripe|github|standard-webhooks|payments|sinalio|hmac|contract)/.test(path),
    );
    const wrong = rows.flatMap((path) =>
      importsOf(path)
        .filter((name) => folderOf(path, name) === null && !SOURCE_PACKAGES.test(name))
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it("states.ts can be read by a browser: it imports nothing", () => {
    expect(importsOf("db/states.ts")).toEqual([]);
  });
});
