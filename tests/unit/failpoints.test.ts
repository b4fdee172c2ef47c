import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FAILPOINTS } from "#lib/failpoint.ts";

const ROOT = join(import.meta.dirname, "../..");
const source = ["lib", "worker", "app"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) =>
      join(ROOT, folder, file),
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith("lib/failpoint.ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

it.each(FAILPOINTS)("%s is a place in the code, and one only", (name) => {
  expect(source.split(`failpoint("${name}")`).length - 1).toBe(1);
});
