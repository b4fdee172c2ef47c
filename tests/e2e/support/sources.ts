import { randomBytes } from "node:crypto";
import { adapterOf } from "#lib/sources/index.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";
import { HOSTILE } from "./fixtures.ts";
import { type App, expect } from "./test.ts";

export const randomSource = (word: string) => `${word}-${randomBytes(4).toString("hex")}`;
export const randomSecret = () => `whsec_${randomBytes(24).toString("base64")}`;

/** A source through the API, as a script would set it up. */
export async function putSource(app: App, id: string, source: object): Promise<void> {
  const response = await fetch(`${app.url}/api/v1/sources/${id}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${app.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: id, accounts: [{ account: "p1", tenant: "acme" }], ...source }),
  });
  expect(response.status, await response.text()).toBe(201);
}

export function post(app: App, source: string, body: string, headers: Record<string, string> = {}) {
  return fetch(`${app.url}/api/webhooks/${source}`, { method: "POST", body, headers });
}

/** The rejection log is written once a second. */
export async function untilRejected(app: App, source: string): Promise<void> {
  const count = async () =>
    (await app.sql`select count(*)::int as rows from rejections where source_id = ${source}`)[0]?.rows;
  await expect.poll(count).toBeGreaterThan(0);
}

/** An event of the sample's source whose id comes again with another amount and hostile text. Our id of the first. */
export async function deliverConflict(app: App): Promise<string> {
  const id = `evt_${randomBytes(9).toString("hex")}`;
  const invoice = stripeInvoice({ id: `in_${id}`, customer: app.sample.customer });
  let first = "";
  for (const changes of [{}, { amount_paid: 2000, number: HOSTILE.body }]) {
    const body = JSON.stringify(stripeEvent({ id }, { ...invoice, ...changes }));
    const headers = { "stripe-signature": signStripe(body, app.sample.secret) };
    const response = await post(app, app.sample.source, body, headers);
    first = ((await response.json()) as { event: string }).event;
  }
  return first;
}

export const SINALIO_CONTRACT = {
  version: 1,
  verification: { signature: { header: "X-Sinalio-Signature", prefix: "sha256=" } },
  event: {
    id: { path: "id" },
    type: { path: "event" },
    account: { path: "project", required: true },
    subject: "feedback.id",
  },
  types: { "feedback.created": { meaning: "Somebody wrote feedback." } },
  delivery: { timeoutSeconds: 10, retryWindowHours: 24, replay: { by: "none" } },
};

export function signSinalio(body: string, secret: string): Record<string, string> {
  return adapterOf("sinalio")!.sign({
    body: Buffer.from(body),
    secret: { text: secret, fingerprint: "test" },
    now: new Date(),
    contract: SINALIO_CONTRACT,
  });
}
