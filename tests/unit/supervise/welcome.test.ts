import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { writeWelcome } from "#lib/supervise/welcome.ts";

const welcome = { publicUrl: "http://127.0.0.1:3000", consoleToken: "t0ken", sample: true, variables: {} };
const text = (part: Partial<typeof welcome> & { variables?: Record<string, string> }) =>
  stripVTControlCharacters(writeWelcome({ ...welcome, ...part }));

test("tells where it is, how to get in, and one command to try", () => {
  expect(text({})).toContain("http://127.0.0.1:3000/enter?token=t0ken\n");
  expect(text({})).toMatch(/Try it\s+npm run cli -- sample\n/);
});

test("the command repeats what another terminal cannot know, and nothing secret", () => {
  const variables = { PORT: "4000", DATA_DIR: "/srv/it's here", SECRET_KEY: "no" };
  expect(text({ variables })).toContain(`DATA_DIR='/srv/it'\\''s here' PORT=4000 npm run cli -- sample`);
  expect(text({ variables })).not.toContain("SECRET_KEY");
});

test("there is no sample on a database of one's own", () => {
  expect(text({ sample: false })).not.toContain("sample");
});
