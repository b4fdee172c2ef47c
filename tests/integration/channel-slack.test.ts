import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Notice } from "#lib/channels/notice.ts";
import { slack } from "#lib/channels/slack.ts";
import { makeMessage, NOTICES, render, sendOnce } from "#tests/support/channel-call.ts";
import { answer, type HttpPeer, hang, reset, startHttpPeer } from "#tests/support/peers/http-peer.ts";

let peer: HttpPeer;
beforeAll(async () => {
  peer = await startHttpPeer(answer(200, "ok"));
});
afterAll(() => peer.close());

const send = (options: Parameters<typeof sendOnce>[2] = {}) => sendOnce(slack, { url: peer.url }, options);

describe("what Slack answers", () => {
  it.each([
    [200, "ok", { kind: "accepted" }],
    [302, "", { kind: "retry", blame: "message", code: "redirect" }],
    [400, "invalid_payload", { kind: "rejected" }],
    [403, "action_prohibited", { kind: "retry", blame: "destination", code: "unauthorized" }],
    [404, "no_service", { kind: "retry", blame: "destination" }],
    [410, "channel_is_archived", { kind: "retry", blame: "destination", disables: true }],
    [429, "", { kind: "retry", blame: "destination", code: "throttled", after: 30 }],
    [500, "rollup_error", { kind: "retry", blame: "message" }],
    [500, "<html>", { kind: "unknown" }],
    [502, "<html>", { kind: "unknown" }],
    [503, "", { kind: "retry", blame: "destination", after: 30 }],
    [504, "", { kind: "unknown" }],
  ] as const)("%i %s", async (status, body, expected) => {
    peer.behave(answer(status, body, { "retry-after": "30" }));
    expect(await send()).toMatchObject({ ...expected, status, responseBody: body });
  });

  it.each([
    ["reset", reset],
    ["timeout", hang],
  ] as const)(
    "nothing (%s): unknown under every policy, since Slack knows no keys",
    async (code, behaviour) => {
      peer.behave(behaviour);
      for (const policy of slack.policies)
        expect(await send({ policy, deadline: 400 })).toMatchObject({
          kind: "unknown",
          code,
          bytesLeft: true,
        });
    },
  );

  it("does not send over a connection that served another message and may be dying", async () => {
    peer.behave(answer(200, "ok"));
    const before = peer.connections();
    await send();
    await send();
    expect(peer.connections() - before).toBe(2);
  });
});

describe("text that somebody else wrote", () => {
  const hostile = "<!channel> <https://evil.example|invoice> & <@U012AB3CD>";

  it("mentions nobody and links nowhere", async () => {
    peer.behave(answer(200, "ok"));
    const notice = structuredClone(NOTICES[0]!) as Extract<Notice, { topic: "credit.granted" }>;
    notice.data.workspace.name = hostile;
    peer.requests.length = 0;
    await send({ message: makeMessage(slack, { content: render(slack, notice) }) });
    const { text } = JSON.parse(peer.requests[0]!.body);
    expect(text).not.toMatch(/[<>]/);
    expect(text).toContain("&lt;!channel&gt; &lt;https://evil.example|invoice&gt; &amp; &lt;@U012AB3CD&gt;");
  });

  it("is escaped in every topic, wherever it stands", () => {
    for (const notice of NOTICES) {
      const evil = JSON.parse(
        JSON.stringify(notice, (key, value) => {
          if (typeof value === "bigint") return Number(value);
          return typeof value === "string" && key !== "topic" && key !== "operation" ? hostile : value;
        }),
      );
      expect(render(slack, evil).text).not.toMatch(/[<>]/);
    }
  });
});
