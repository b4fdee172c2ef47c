import { createHmac } from "node:crypto";
import { Agent, request } from "undici";
import { STRIPE_SECRET } from "../support/stripe-traffic.ts";

export type Outgoing = { id: string; url: string; body: string };

const agent = new Agent({ keepAliveTimeout: 30_000 });
const key = Buffer.from(STRIPE_SECRET);

/** One signed POST, as a handler by hand makes it: a kept connection, a timeout, any 2xx. Throws otherwise. */
export async function sendOne({ id, url, body }: Outgoing): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const response = await request(url, {
    method: "POST",
    dispatcher: agent,
    signal: AbortSignal.timeout(20_000),
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
    body,
  });
  await response.body.dump();
  if (response.statusCode >= 300) throw new Error(`answered ${response.statusCode}`);
}
