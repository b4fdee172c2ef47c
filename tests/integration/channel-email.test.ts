import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { email } from "#lib/channels/email.ts";
import type { Notice } from "#lib/channels/notice.ts";
import { makeMessage, NOTICES, render, sendOnce } from "#tests/support/channel-call.ts";
import { type SmtpBehaviour, startSmtpPeer } from "#tests/support/peers/smtp-peer.ts";

let peer: Awaited<ReturnType<typeof startSmtpPeer>>;
beforeAll(async () => {
  peer = await startSmtpPeer("accept");
});
afterAll(() => peer.close());
afterEach(() => {
  peer.mails.length = 0;
});

const env = (rest = {}) => ({
  PUBLIC_URL: "https://counterfoil.example.test",
  SMTP_URL: peer.url,
  EMAIL_FROM: "Counterfoil <billing@example.test>",
  ...rest,
});
const send = (behaviour: SmtpBehaviour, options: Parameters<typeof sendOnce>[2] = {}) => {
  peer.behave(behaviour);
  return sendOnce(email, { to: "owner@example.test" }, { env: env(), deadline: 2_000, ...options });
};

describe("what the mail server does", () => {
  it.each([
    ["accept", { kind: "accepted", status: 250, bytesLeft: true }],
    ["defer recipient", { kind: "retry", blame: "message", status: 450, bytesLeft: false }],
    ["defer message", { kind: "retry", blame: "message", status: 451 }],
    ["refuse recipient", { kind: "rejected", status: 550, bytesLeft: false }],
    ["refuse message", { kind: "rejected", status: 554 }],
    ["refuse sender", { kind: "retry", blame: "destination", status: 550, bytesLeft: false }],
    ["busy", { kind: "retry", blame: "destination", status: 421, bytesLeft: false }],
    ["close before data", { kind: "retry", blame: "message", code: "reset", bytesLeft: false }],
    ["close after dot", { kind: "unknown", code: "reset", bytesLeft: true }],
  ] as const)("%s", async (behaviour, expected) => {
    expect(await send(behaviour)).toMatchObject(expected);
  });

  it.each([
    ["hang at greeting", { kind: "retry", blame: "destination", code: "connect_timeout", bytesLeft: false }],
    ["hang at recipient", { kind: "retry", blame: "message", code: "timeout", bytesLeft: false }],
    ["hang after dot", { kind: "unknown", code: "timeout", bytesLeft: true }],
  ] as const)("%s: the deadline ends it", async (behaviour, expected) => {
    expect(await send(behaviour, { deadline: 500 })).toMatchObject(expected);
  });

  it("refuses our login: the server's, not the message's", async () => {
    const SMTP_URL = peer.url.replace("smtp://", "smtp://user:wrong@");
    expect(await send("accept", { env: env({ SMTP_URL }) })).toMatchObject({
      kind: "retry",
      blame: "destination",
      code: "unauthorized",
      status: 535,
    });
    expect(peer.mails).toEqual([]);
  });

  it("was never there: its name is not found", async () => {
    const outcome = await send("accept", { env: env({ SMTP_URL: "smtp://mail.invalid:25" }) });
    expect(outcome).toMatchObject({ kind: "retry", blame: "destination", bytesLeft: false });
  });
});

describe("without settings", () => {
  it("waits, says for what, and counts nothing", async () => {
    const outcome = await send("accept", { env: env({ SMTP_URL: undefined }) });
    expect(outcome).toMatchObject({
      kind: "retry",
      blame: "setup",
      code: "not_configured",
      why: "e-mail waits until SMTP_URL is set",
    });
    expect(email.missingSetup(env({ SMTP_URL: undefined, EMAIL_FROM: undefined }))).toBe(
      "e-mail waits until SMTP_URL and EMAIL_FROM are set",
    );
    expect(email.missingSetup(env())).toBeNull();
  });

  it("waits likewise when EMAIL_FROM is more than one address", async () => {
    expect(
      await send("accept", { env: env({ EMAIL_FROM: "a@example.test, b@example.test" }) }),
    ).toMatchObject({
      kind: "retry",
      blame: "setup",
    });
  });
});

describe("the message", () => {
  it("is the same bytes for every attempt, under a Message-ID made from its uuid", async () => {
    const message = makeMessage(email);
    await send("accept", { message });
    await send("accept", { message: { ...message, attempt: 2, now: new Date(Date.now() + 3_600_000) } });
    const [first, second] = peer.mails.map(({ raw }) => raw.replace(/boundary="[^"]+"/, ""));
    expect(first).toBe(second);
    expect(first).toContain(`Message-ID: <${message.id}@example.test>`);
    expect(peer.mails[0]).toMatchObject({ from: "billing@example.test", to: ["owner@example.test"] });
  });

  it("has one recipient and no header of somebody else's making", async () => {
    const notice = structuredClone(NOTICES[0]!) as Extract<Notice, { topic: "credit.granted" }>;
    notice.data.workspace.name = `Paid\r\nBcc: x@example.test\r\n\r\n<b>${"é".repeat(5_000)}`;
    const content = render(email, notice);
    expect(content.subject!.length).toBeLessThanOrEqual(200);
    await send("accept", { message: makeMessage(email, { content }) });
    const [mail] = peer.mails;
    const headers = mail!.raw.split("\r\n\r\n")[0]!;
    expect(headers).not.toMatch(/^Bcc:/im);
    expect(mail!.to).toEqual(["owner@example.test"]);
    expect(headers.split("\r\n").every((line) => line.length < 998)).toBe(true);
  });

  it("has no line break in its subject even when it was frozen with one", async () => {
    const content = { subject: "Paid\r\nBcc: x@example.test", text: "." };
    await send("accept", { message: makeMessage(email, { content }) });
    expect(peer.mails[0]!.raw).toMatch(/^Subject: Paid Bcc: x@example\.test\r$/m);
  });

  it.each([
    "a@example.test, b@example.test",
    "a@example.test\r\nRCPT TO:<b@example.test>",
    "Name <a@example.test>",
    "a@example.test>",
    "@example.test",
    "a",
    "",
  ])("does not go to %j", async (to) => {
    peer.behave("accept");
    const outcome = await sendOnce(email, { to }, { env: env() });
    expect(outcome).toMatchObject({ kind: "rejected", code: "bad_target", bytesLeft: false });
    expect(peer.mails).toEqual([]);
  });
});
