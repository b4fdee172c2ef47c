import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { type JsonValue, parseJson } from "#lib/json.ts";
import { fitsEvent } from "#lib/sources/github-events.ts";
import { NOW, readHeaders, SECRET, useAdapter } from "./arrange.ts";

type Definition = { name: string; examples: JsonValue[] };
type Example = { name: string; payload: JsonValue };

const require = createRequire(import.meta.url);
const PACKAGE = "@octokit/webhooks-examples";
const SETS = ["api.github.com", "ghes-31", "ghes-32", "ghes-33", "ghes-34", "ghes-35"];

const load = (set: string): Example[] =>
  (require(`${PACKAGE}/${set}/index.json`) as Definition[]).flatMap(({ name, examples }) =>
    examples.map((payload) => ({ name, payload })),
  );

const github = useAdapter("github");

describe.each(SETS)("%s", (set) => {
  test("every payload verifies and is identified, as JSON and as a form", () => {
    const examples = load(set);
    expect(examples.length).toBeGreaterThan(40);
    for (const { name, payload } of examples) {
      const json = Buffer.from(JSON.stringify(payload));
      const form = Buffer.from(new URLSearchParams({ payload: json.toString() }).toString());
      const asJson = receive(json, name, "application/json");
      const asForm = receive(form, name, "application/x-www-form-urlencoded");
      expect(asJson, `${name}: ${JSON.stringify(asJson)}`).toMatchObject({ ok: true });
      expect(asForm).toEqual(asJson);
    }
  });
});

function receive(body: Buffer, event: string, contentType: string) {
  const headers = github.sign({ body, secret: SECRET, now: NOW, contract: null, id: "one", type: event });
  const header = readHeaders({ ...headers, "content-type": contentType });
  expect(github.verify({ body, header, secrets: [SECRET], now: NOW, contract: null }).ok).toBe(true);
  const unwrapped = github.unwrap!({ body, header });
  if (!unwrapped.ok) return unwrapped;
  const parsed = parseJson(unwrapped.json);
  return parsed.ok ? github.identify({ payload: parsed.value, header, body, contract: null }) : parsed;
}

test("public payloads have an account, but for those that belong to nobody in particular", () => {
  const without = load("api.github.com").filter(({ name, payload }) => {
    const identified = receive(Buffer.from(JSON.stringify(payload)), name, "application/json");
    return identified.ok && identified.identity.account === null;
  });
  expect(new Set(without.map(({ name }) => name))).toEqual(
    new Set(["github_app_authorization", "marketplace_purchase", "security_advisory", "sponsorship"]),
  );
});

/**
 * A signed body that was captured could be sent again under the name of any event. These are the pairs that the keys
 * of the body cannot tell apart; the guard on the body's digest is what remains for them.
 */
const ALIKE = new Set([
  "dependabot_alert as repository_vulnerability_alert",
  "dependabot_alert as secret_scanning_alert",
  "repository as installation",
  "repository_vulnerability_alert as dependabot_alert",
  "repository_vulnerability_alert as secret_scanning_alert",
  "secret_scanning_alert as dependabot_alert",
  "secret_scanning_alert as repository_vulnerability_alert",
  "watch as repository",
]);

test("no payload fits the name of another event, but for pairs that are known to be alike", () => {
  const examples = SETS.flatMap(load);
  const names = new Set(examples.map(({ name }) => name));
  const passes = examples.flatMap(({ name, payload }) =>
    [...names]
      .filter((other) => other !== name && fitsEvent(other, payload))
      .map((other) => `${name} as ${other}`),
  );
  expect(new Set(passes)).toEqual(ALIKE);
  expect(passes.length / (examples.length * (names.size - 1))).toBeLessThan(0.001);
});
