import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { email } from "#lib/channels/email.ts";
import { writeConfirmation } from "#lib/channels/render/people.ts";
import { parseRetryAfter } from "#lib/channels/retry-after.ts";
import { slack } from "#lib/channels/slack.ts";
import { escapeSlack, oneLine, plainText } from "#lib/channels/text.ts";
import { webhook } from "#lib/channels/webhook.ts";
import { NOTICES, render } from "#tests/support/channel-call.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 400 }),
  // Lone surrogates, line breaks and marks, which generators of well-formed text leave out.
  fc
    .array(
      fc.constantFrom("\r", "\n", "\u0000", "\ud83d", "\udca9", "\u2028", "\u202e", "<", "&", ">", "x"),
      {
        maxLength: 400,
      },
    )
    .map((parts) => parts.join("")),
);

describe("text from outside", () => {
  it("becomes one line that a header, a database and a reader can take", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 300 }), (text, most) => {
        const line = oneLine(text, most);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
        expect(line.length).toBeLessThanOrEqual(most);
        expect(line.isWellFormed()).toBe(true);
        expect(oneLine(line, most)).toBe(line);
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps its lines where lines are meant, and no other control character", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const plain = plainText(text);
        expect(plain.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
        expect(plain.length).toBeLessThanOrEqual(2_000);
        expect(plain.isWellFormed()).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(plainText("a\r\nb\rc\n\u0007d")).toBe("a\nb\nc\nd");
  });

  it("begins no link, mention or command in Slack, and can be read back", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeSlack(text);
        expect(escaped).not.toMatch(/[<>]/);
        expect(escaped).not.toMatch(/&(?!amp;|lt;|gt;)/);
        const back = escaped.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
        expect(back).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("can stand anywhere in a notice: every channel renders it, or says why not", () => {
    fc.assert(
      fc.property(fc.constantFrom(...NOTICES), anyText, (notice, text) => {
        const evil = structuredClone(notice);
        for (const key of Object.keys(evil.data)) {
          const data = evil.data as Record<string, unknown>;
          if (typeof data[key] === "string" && key !== "operation") data[key] = text;
        }
        expect(render(email, evil).subject).not.toMatch(/[\r\n]/);
        expect(render(slack, evil).text).not.toMatch(/[<>]/);
        const body = render(webhook, evil).body!;
        expect(body.isWellFormed()).toBe(true);
        expect(JSON.parse(body)).toMatchObject({ type: notice.topic, timestamp: notice.at });
        expect(JSON.stringify({ body })).not.toMatch(/[^\\]\\u0000/);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the confirmation of a grant", () => {
  it("says to the customer what was granted, in one recipient's words and without a link into the console", () => {
    const [granted] = NOTICES;
    if (granted?.topic !== "credit.granted") throw new Error("the first notice is a grant");
    expect(writeConfirmation(granted.data)).toEqual({
      subject: "100 credits for Acme",
      text: "Invoice in_1 was paid.\n100 credits were added to the workspace Acme.\n",
    });
  });
});

describe("Retry-After", () => {
  const now = new Date("2026-03-03T10:00:00.250Z");

  it.each([
    ["0", 1],
    ["1", 1],
    [" 120 ", 120],
    ["86401", 86_400],
    ["9".repeat(400), 86_400],
    ["Tue, 03 Mar 2026 10:01:00 GMT", 60],
    ["Tuesday, 03-Mar-26 10:01:00 GMT", 60],
    ["Tue Mar  3 10:01:00 2026", 60],
    ["Mon, 02 Mar 2026 10:00:00 GMT", 1],
    ["Wed, 03 Mar 2066 10:00:00 GMT", 86_400],
    ["", null],
    ["-5", null],
    ["1.5", null],
    ["2026-03-03", null],
    ["soon 5", null],
    [undefined, null],
  ])("%j is %j", (header, seconds) => expect(parseRetryAfter(header, now)).toBe(seconds));

  it("is in bounds whatever it says", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.bigInt().map(String)), (header) => {
        const seconds = parseRetryAfter(header, now);
        if (seconds !== null) expect(seconds).toSatisfy((n: number) => n >= 1 && n <= 86_400);
      }),
    );
  });
});
