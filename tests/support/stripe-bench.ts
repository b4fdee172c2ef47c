import { createClock, type SimClock } from "#tests/simulators/clock.ts";
import { type PayOptions, type StripeSimulator, startStripe } from "#tests/simulators/stripe.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { type HttpReceiver, startHttpReceiver } from "./http-receiver.ts";
import { createProduct, type Product, type ProductOptions, SECRET } from "./product.ts";
import { API_KEY, giveCredentials } from "./reconciling.ts";

export type StripeBench = {
  database: TestDatabase;
  product: Product;
  receiver: HttpReceiver;
  stripe: StripeSimulator;
  clock: SimClock;
  /** An invoice of the linked customer. */
  pay(options?: Partial<PayOptions>): Promise<string>;
  /** The same, and its webhook is lost. */
  payUnheard(options?: Partial<PayOptions>): Promise<string>;
  stop(): Promise<void>;
};

/** The product's functions on a database of their own, and a Stripe-like sender that delivers to them over HTTP. */
export async function startStripeBench(
  clock = createClock(),
  options: ProductOptions = {},
): Promise<StripeBench> {
  const database = await createTestDatabase();
  const product = await createProduct(database.sql, options);
  const receiver = await startHttpReceiver(product);
  const target = `${receiver.url}/api/webhooks/stripe`;
  const stripe = await startStripe({ clock, target, apiKey: API_KEY, secret: SECRET });
  await giveCredentials(database.sql, "stripe", stripe.url);
  const pay = (payment: Partial<PayOptions> = {}) => stripe.pay({ customer: "cus_acme", ...payment });
  return {
    database,
    product,
    receiver,
    stripe,
    clock,
    pay,
    payUnheard(payment) {
      stripe.faults.add({ what: "lost" });
      return pay(payment);
    },
    async stop() {
      await stripe.stop();
      await receiver.stop();
      await database.drop();
    },
  };
}
