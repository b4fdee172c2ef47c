import { randomBytes } from "node:crypto";
import { createClock } from "../clock.ts";
import { startGithub } from "../github.ts";
import { startPayments } from "../payments.ts";
import { startSinalio, startStandardWebhooks } from "../plain-sender.ts";
import { startStripe } from "../stripe.ts";

export const SINALIO_CONTRACT = {
  version: 1,
  verification: { signature: { header: "x-sinalio-signature", prefix: "sha256=" } },
  event: {
    id: { path: "id" },
    type: { path: "event" },
    account: { path: "project", required: true },
    subject: "feedback.id",
  },
  types: { "feedback.created": { meaning: "Somebody wrote feedback." } },
  delivery: { timeoutSeconds: 10, retryWindowHours: 24, replay: { by: "none" } },
};

export type Senders = Awaited<ReturnType<typeof startSenders>>;

/** Every simulated sender, in real time, with its webhooks pointed at the receiver. */
export async function startSenders(url: string) {
  const clock = createClock();
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const apiKey = `sk_live_${randomBytes(18).toString("hex")}`;
  const at = (source: string) => ({ clock, secret, apiKey, target: `${url}/api/webhooks/${source}` });
  const senders = {
    stripe: await startStripe(at("demo-stripe")),
    payments: await startPayments({ ...at("demo-payments"), merchant: "m_204" }),
    github: await startGithub(at("demo-github")),
    sinalio: await startSinalio({ ...at("demo-sinalio"), contract: SINALIO_CONTRACT }),
    standard: await startStandardWebhooks(at("demo-feed")),
  };
  const unfollow = clock.follow();
  return {
    ...senders,
    secret,
    apiKey,
    async stop() {
      unfollow();
      await Promise.all(Object.values(senders).map((sender) => sender.stop()));
    },
  };
}
