import { createHmac, randomInt } from "node:crypto";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

export const STRIPE_SECRET = `whsec_${"b".repeat(32)}`;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Characters as in Stripe's ids. What they happen to spell ("7e5") decides how a parser reads the body. */
export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Bytes of the body below: about what Stripe sends for a small invoice. */
export const BODY_BYTES = 2_048;

/** A paid invoice as JSON. The ids may be placeholders; the text is filled up to BODY_BYTES. */
export function paidInvoice(ids: { event: string; invoice: string; customer: string }): string {
  const token = (prefix: string) => `${prefix}_${randomText(24)}`;
  const make = (padding: string) =>
    JSON.stringify(
      stripeEvent(
        { id: ids.event },
        stripeInvoice({
          id: ids.invoice,
          customer: ids.customer,
          payment_intent: token("pi"),
          charge: token("ch"),
          hosted_invoice_url: `https://invoice.stripe.com/i/acct_1/${randomText(48)}`,
          metadata: { order: padding },
        }),
      ),
    );
  return make(randomText(Math.max(0, BODY_BYTES - make("").length)));
}

/** Requests for one server: a template whose ids, digest and time are overwritten, so that making one is cheap. */
export class SignedRequests {
  readonly #template: Buffer;
  readonly #bodyAt: number;
  readonly #holes: { at: number; length: number }[];
  readonly #signatureAt: number;
  readonly #timeAt: number;
  /** Random characters to cut ids from: drawing each one anew would cost more than the signature. */
  readonly #noise = Buffer.from(randomText(65_536));
  readonly #run = randomText(6);
  #count = 0;

  constructor(path: string, host: string) {
    const hole = (letter: string) => letter.repeat(24);
    const body = paidInvoice({ event: `evt_${hole("!")}`, invoice: `in_${hole("?")}`, customer: "cus_acme" });
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${host}`,
      "user-agent: Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      "accept: */*; q=0.5, application/xml",
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      `stripe-signature: t=${"0".repeat(10)},v1=${"0".repeat(64)}`,
      "\r\n",
    ].join("\r\n");
    const text = head + body;
    this.#template = Buffer.from(text);
    this.#bodyAt = head.length;
    this.#holes = [...text.matchAll(/!{24}|\?{24}/g)].map(({ index }) => ({ at: index, length: 24 }));
    this.#timeAt = head.indexOf("t=0000") + 2;
    this.#signatureAt = head.indexOf("v1=0000") + 3;
  }

  /** A whole request, never the same twice. */
  next(): Buffer {
    const request = Buffer.from(this.#template);
    const serial = this.#run + (this.#count++).toString(36).padStart(6, "0");
    for (const { at } of this.#holes) {
      const from = Math.floor(Math.random() * (this.#noise.length - 12));
      this.#noise.copy(request, at, from, from + 12);
      request.write(serial, at + 12, "latin1");
    }
    const time = Math.floor(Date.now() / 1000).toString();
    const signature = createHmac("sha256", STRIPE_SECRET)
      .update(`${time}.`)
      .update(request.subarray(this.#bodyAt))
      .digest("hex");
    request.write(time, this.#timeAt, "latin1");
    request.write(signature, this.#signatureAt, "latin1");
    return request;
  }
}
