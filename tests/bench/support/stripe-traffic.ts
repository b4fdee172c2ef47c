import { createHmac, randomInt } from "node:crypto";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

export const STRIPE_SECRET = `whsec_${"b".repeat(32)}`;

/** Bytes of a body: about what Stripe sends for a small invoice. */
export const BODY_BYTES = 2_048;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Characters as in Stripe's ids. What they happen to spell ("7e5") decides how a parser reads the body. */
export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Parts of the event that differ from one to the next, and their lengths in the body. */
export const VARYING = { event: 24, invoice: 24, payment: 24, charge: 24, line: 24, page: 86, pdf: 86 };
export type Varying = keyof typeof VARYING;

/** A paid invoice as JSON, BODY_BYTES long when every part is filled with as many characters as VARYING says. */
export function paidInvoice(fill: (part: Varying) => string, customer: string): string {
  const make = (part: (name: Varying) => string, padding: string) => {
    const invoice = stripeInvoice({
      id: `in_${part("invoice")}`,
      customer,
      payment_intent: `pi_${part("payment")}`,
      charge: `ch_${part("charge")}`,
      hosted_invoice_url: `https://invoice.stripe.com/i/acct_1/${part("page")}`,
      invoice_pdf: `https://pay.stripe.com/invoice/acct_1/${part("pdf")}/pdf`,
      metadata: { note: padding },
    });
    const { lines } = invoice as { lines: { data: { id: string }[]; url: string } };
    lines.data[0]!.id = `il_${part("line")}`;
    return JSON.stringify(stripeEvent({ id: `evt_${part("event")}` }, invoice));
  };
  const length = make((name) => "x".repeat(VARYING[name]), "").length;
  return make(fill, "none ".repeat(BODY_BYTES).slice(0, Math.max(0, BODY_BYTES - length)));
}

/** Whole requests for one server: a template whose varying parts are overwritten, so that making one is cheap. */
export class SignedRequests {
  readonly #template: Buffer;
  readonly #bodyAt: number;
  readonly #holes: { at: number; length: number }[];
  readonly #signatureAt: number;
  readonly #timeAt: number;
  /** Random characters to cut from: drawing each one anew would cost more than the signature. */
  readonly #noise = Buffer.from(randomText(65_536));
  readonly #run = randomText(6);
  #count = 0;

  constructor(path: string, host: string) {
    const body = paidInvoice((part) => "!".repeat(VARYING[part]), "cus_1");
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
    this.#template = Buffer.from(head + body);
    this.#bodyAt = head.length;
    // Found in the bytes, not in the text: a character may be several of them.
    this.#holes = [...this.#template.toString("latin1").matchAll(/!+/g)].map(
      ({ 0: { length }, index: at }) => ({ at, length }),
    );
    this.#timeAt = head.indexOf("t=0000") + 2;
    this.#signatureAt = head.indexOf("v1=0000") + 3;
  }

  /** A request that was never there before. */
  next(): Buffer {
    const request = Buffer.from(this.#template);
    const serial = this.#run + (this.#count++).toString(36).padStart(6, "0");
    for (const { at, length } of this.#holes) {
      const from = Math.floor(Math.random() * (this.#noise.length - length));
      this.#noise.copy(request, at, from, from + length);
      request.write(serial, at, "latin1");
    }
    const time = Math.floor(Date.now() / 1000).toString();
    const hmac = createHmac("sha256", STRIPE_SECRET)
      .update(`${time}.`)
      .update(request.subarray(this.#bodyAt));
    request.write(time, this.#timeAt, "latin1");
    request.write(hmac.digest("hex"), this.#signatureAt, "latin1");
    return request;
  }
}
