import { createServer } from "node:http";
import postgres from "postgres";
import Stripe from "stripe";

/** The best that one writes by hand: no framework, prepared statements, a pool of ten, one INSERT per request. */
const sql = postgres(process.env.DATABASE_URL ?? "", { max: 10 });
const secret = process.env.STRIPE_SECRET ?? "";

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const body = Buffer.concat(chunks).toString();
    let event: Stripe.Event;
    try {
      event = Stripe.webhooks.constructEvent(body, request.headers["stripe-signature"] ?? "", secret);
    } catch {
      response.writeHead(400).end();
      return;
    }
    try {
      await sql`insert into webhook_events (id, type, body) values (${event.id}, ${event.type}, ${body}) on conflict (id) do nothing`;
      response.writeHead(200, { "content-type": "application/json" }).end('{"received":true}');
    } catch {
      response.writeHead(503).end();
    }
  });
});
server.keepAliveTimeout = 65_000;
server.listen(Number(process.env.PORT), "127.0.0.1", 1024, () => process.send?.({ type: "listening" }));
