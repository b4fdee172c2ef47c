import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseJson } from "#lib/json.ts";
import { NOW, readHeaders, SECRET, useAdapter } from "./arrange.ts";

const github = useAdapter("github");
const HEADERS = { "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958", "x-github-event": "issues" };
const ISSUE = { action: "opened", issue: { id: 1, number: 12 } };

function identify(text: string, headers: Record<string, string> = {}) {
  const body = Buffer.from(text);
  const header = readHeaders({ ...HEADERS, ...headers });
  const unwrapped = github.unwrap!({ body, header });
  if (!unwrapped.ok) return unwrapped;
  const parsed = parseJson(unwrapped.json);
  return parsed.ok ? github.identify({ payload: parsed.value, header, body, contract: null }) : parsed;
}

const identity = (payload: object, headers = {}) => {
  const identified = identify(JSON.stringify(payload), headers);
  if (!identified.ok) throw new Error(identified.why);
  return identified.identity;
};

describe("the signature", () => {
  const verify = (signature: string, body = Buffer.from("{}")) => {
    const header = readHeaders({ "x-hub-signature-256": signature });
    return github.verify({ body, header, secrets: [SECRET], now: NOW, contract: null });
  };

  test("is right for the example of GitHub's documentation", () => {
    const secret = { text: "It's a Secret to Everybody", fingerprint: "doc" };
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const header = readHeaders({ "x-hub-signature-256": signature });
    const body = Buffer.from("Hello, World!");
    expect(github.verify({ body, header, secrets: [secret], now: NOW, contract: null }).ok).toBe(true);
  });

  test("covers the bytes of a body that no text can hold", () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    const mac = createHmac("sha256", SECRET.text).update(body).digest("hex");
    expect(verify(`sha256=${mac}`, body).ok).toBe(true);
  });

  test.each([
    "sha256=abc",
    `sha256=${"x".repeat(64)}`,
    `sha256=${"a".repeat(65)}`,
    `SHA256=${"a".repeat(64)}`,
    `sha256=${"A".repeat(64)}`,
    ` sha256=${"a".repeat(64)}`,
    "a".repeat(64),
  ])("%j is malformed, and nothing is thrown", (signature) => {
    expect(verify(signature)).toEqual({ ok: false, reason: "signature_malformed" });
  });

  test("of SHA-1 alone is none", () => {
    const header = readHeaders({ "x-hub-signature": `sha1=${"a".repeat(40)}` });
    const input = { body: Buffer.from("{}"), header, secrets: [SECRET], now: NOW, contract: null };
    expect(github.verify(input)).toEqual({ ok: false, reason: "signature_missing" });
  });
});

describe("the type", () => {
  test("is the event with its action", () => {
    expect(identity(ISSUE).type).toBe("issues.opened");
    const push = { ref: "refs/heads/main", before: "0", after: "1", commits: [], pusher: {} };
    expect(identity(push, { "x-github-event": "push" }).type).toBe("push");
  });

  test("is kept when it is one that nobody listed here", () => {
    expect(identity({ action: "made" }, { "x-github-event": "brand_new" }).type).toBe("brand_new.made");
  });

  test.each(["push", "pull_request", "issue_comment", "star", "ping", "repository", "public"])(
    "%s does not fit the body of an issue",
    (event) => {
      const why = `the body does not fit the event ${event}`;
      expect(identify(JSON.stringify(ISSUE), { "x-github-event": event })).toEqual({ ok: false, why });
    },
  );

  test("issues does not fit the body of a comment, which has the issue too", () => {
    const comment = { ...ISSUE, comment: { id: 5 } };
    expect(identify(JSON.stringify(comment)).ok).toBe(false);
    expect(identity(comment, { "x-github-event": "issue_comment" }).type).toBe("issue_comment.opened");
  });

  test.each(["", "Issues", "issues.opened", "issues, push", "__proto__", "constructor!", "a".repeat(80)])(
    "%j is none",
    (event) => {
      expect(identify(JSON.stringify(ISSUE), { "x-github-event": event }).ok).toBe(false);
    },
  );

  test("has no action that is not text", () => {
    expect(identify(JSON.stringify({ ...ISSUE, action: { a: 1 } })).ok).toBe(false);
    expect(identify(JSON.stringify({ ...ISSUE, action: "a\u0000b" })).ok).toBe(false);
  });
});

describe("the event id", () => {
  test("is the delivery's, which the signature does not cover", () => {
    expect(identity(ISSUE).eventId).toBe(HEADERS["x-github-delivery"]);
    expect(github.idIsUnsigned).toBe(true);
  });

  test.each(["", "a, b", "a b", "é", "a".repeat(300)])("%j is none, and the event cannot be used", (id) => {
    expect(identify(JSON.stringify(ISSUE), { "x-github-delivery": id }).ok).toBe(false);
  });
});

describe("the account", () => {
  const body = (parts: string) => `{"action":"opened","issue":{"number":1}${parts}}`;
  const account = (parts: string) => {
    const identified = identify(body(parts));
    return identified.ok ? identified.identity.account : identified;
  };
  const organization = ',"organization":{"id":11}';
  const repository = ',"repository":{"full_name":"o/r","owner":{"id":22}}';
  const installation = ',"installation":{"id":33}';

  test("is the organisation, else the repository's owner, else the installation, else the source's own", () => {
    expect(account(installation + repository + organization)).toBe("11");
    expect(account(installation + repository)).toBe("22");
    expect(account(installation)).toBe("33");
    expect(account("")).toBeNull();
  });

  test("keeps its digits beyond 2^53", () => {
    expect(account(',"organization":{"id":9007199254740993}')).toBe("9007199254740993");
    expect(account(',"organization":{"id":9007199254740992}')).toBe("9007199254740992");
  });

  test.each(['"11"', '"11~test"', "1.5", "-1", "0", "{}", "true", "1e30"])("is not %s", (id) => {
    expect(account(`,"organization":{"id":${id}}`)).toEqual({
      ok: false,
      why: "the account id is not a number",
    });
  });

  test("is never read from a prototype", () => {
    expect(account(',"organization":{"__proto__":{"id":5}}')).toBeNull();
  });
});

describe("a form body", () => {
  const type = "application/x-www-form-urlencoded";
  const form = `payload=${encodeURIComponent(JSON.stringify(ISSUE))}`;

  test.each([type, type.toUpperCase(), `${type}; charset=utf-8`])("is unwrapped as %s", (contentType) => {
    expect(identify(form, { "content-type": contentType })).toMatchObject({
      identity: { type: "issues.opened" },
    });
  });

  test("has the identity of the same event as JSON", () => {
    expect(identify(form, { "content-type": type })).toEqual(identify(JSON.stringify(ISSUE)));
  });

  test.each(["application/json", "APPLICATION/JSON; charset=UTF-8", "text/plain", ""])(
    "is not expected as %j",
    (type) => {
      expect(identify(JSON.stringify(ISSUE), { "content-type": type }).ok).toBe(true);
      expect(identify(form, { "content-type": type }).ok).toBe(false);
    },
  );

  test("without a payload says so", () => {
    const why = 'the form has no field "payload"';
    expect(identify("other=1", { "content-type": type })).toEqual({ ok: false, why });
  });
});

test("content that differs under one delivery id is another identity", () => {
  const { content } = identity(ISSUE);
  expect(identity({ issue: ISSUE.issue, action: "opened" }).content).toEqual(content);
  expect(identity({ ...ISSUE, issue: { id: 1, number: 13 } }).content).not.toEqual(content);
  expect(identity({ ...ISSUE, action: "closed" }).content).not.toEqual(content);
});

test.each([
  ["issues", { ...ISSUE, repository: { full_name: "o/r" } }, "o/r#12"],
  [
    "push",
    { ref: "refs/heads/x", before: 1, after: 1, commits: [], pusher: {}, repository: { full_name: "o/r" } },
    "o/r@refs/heads/x",
  ],
  [
    "release",
    { action: "published", release: { id: 77 }, repository: { full_name: "o/r" } },
    "o/r/release/77",
  ],
  ["organization", { action: "renamed", organization: { id: 1, login: "acme" } }, "acme"],
  ["brand_new", {}, null],
])("the subject of %s", (event, payload, subject) => {
  expect(identity(payload, { "x-github-event": event }).subject).toBe(subject);
});
