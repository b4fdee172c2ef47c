import { createHash, timingSafeEqual } from "node:crypto";
import { member } from "#lib/json.ts";
import type { SenderContract } from "./contract-schema.ts";
import type { ChallengeAnswer, ChallengeInput } from "./types.ts";

/** What is sent back came from outside: visible ASCII, so that no answer can be read as markup with line breaks. */
const ECHO = /^[!-~]{1,512}$/;

/**
 * Answers a sender that wants proof of who owns the address (Meta's hub.challenge, Slack's url_verification, a bare
 * HEAD), as far as the contract says that it does. Null: the request is no challenge and goes its usual way.
 */
export function answerByContract(
  challenges: SenderContract["challenges"],
  { method, query, payload }: Omit<ChallengeInput, "contract">,
): ChallengeAnswer | null {
  for (const challenge of challenges) {
    if (challenge.kind === "head" && method === "HEAD")
      return { answered: true, contentType: "text/plain", body: "" };
    if (challenge.kind === "hub-challenge" && method === "GET") {
      const answer = answerHub(new URLSearchParams(query), challenge.verifyTokenSha256);
      if (answer) return answer;
    }
    if (
      challenge.kind === "url-verification" &&
      method === "POST" &&
      member(payload, "type") === "url_verification"
    ) {
      const echo = member(payload, "challenge");
      return typeof echo === "string" && ECHO.test(echo) ? answerWith(echo) : { answered: false };
    }
  }
  return null;
}

function answerHub(query: URLSearchParams, tokenDigest: string): ChallengeAnswer | null {
  const [echo, ...others] = query.getAll("hub.challenge");
  if (echo === undefined) return null;
  const tokens = query.getAll("hub.verify_token");
  const presented = createHash("sha256")
    .update(tokens[0] ?? "")
    .digest();
  const right = tokens.length === 1 && timingSafeEqual(presented, Buffer.from(tokenDigest, "hex"));
  const asked = query.get("hub.mode") === "subscribe" && others.length === 0 && ECHO.test(echo);
  return right && asked ? answerWith(echo) : { answered: false };
}

const answerWith = (body: string): ChallengeAnswer => ({ answered: true, contentType: "text/plain", body });
