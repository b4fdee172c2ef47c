import postgres from "postgres";
import Stripe from "stripe";

export const dynamic = "force-dynamic";

const sql = postgres(process.env.DATABASE_URL ?? "", { max: 10 });

/** What one writes by following the documentation of Next.js and of Stripe: verify, one INSERT, answer. */
export async function POST(request: Request): Promise<Response> {
  const body = await request.text();
  let event: Stripe.Event;
  try {
    event = Stripe.webhooks.constructEvent(
      body,
      request.headers.get("stripe-signature") ?? "",
      process.env.STRIPE_SECRET ?? "",
    );
  } catch {
    return Response.json({ error: "invalid signature" }, { status: 400 });
  }
  await sql`insert into webhook_events (id, type, body) values (${event.id}, ${event.type}, ${body}) on conflict (id) do nothing`;
  return Response.json({ received: true });
}
