import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type Sql } from "#db/client.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { type RunningApp, startApp, until } from "#tests/support/running-app.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

type Span = { name: string; traceId: string; spanId: string; parentSpanId?: string };

const TOKEN = "a-token-for-scrapes-alone";
const SENDERS_TRACE = "0af7651916cd43dd8448eb211c80319c";
const SENDERS_SPAN = "b7ad6b7169203331";
const INVOICE = "in_telemetry_1";

let app: RunningApp;
let dataDir: string;
let collector: Server;
const spans: Span[] = [];

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    for (const { scopeSpans } of body.resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  dataDir = await mkdtemp(join(tmpdir(), "counterfoil-telemetry-"));
  app = await startApp(dataDir, {
    METRICS_TOKEN: TOKEN,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: "200",
  });
  const { secret } = JSON.parse(await readFile(join(dataDir, "sample.json"), "utf8")) as { secret: string };
  const event = stripeEvent(
    { type: "invoice.paid", id: "evt_telemetry_1" },
    stripeInvoice({ id: INVOICE, customer: "cus_sample" }),
  );
  const body = JSON.stringify(event);
  const post = (headers: Record<string, string>) =>
    fetch(`${app.url}/api/webhooks/stripe`, { method: "POST", body, headers });
  const signed = { "stripe-signature": signStripe(body, secret) };
  await post({ ...signed, traceparent: `00-${SENDERS_TRACE}-${SENDERS_SPAN}-01` });
  await post(signed);
  await post({ "stripe-signature": "t=1,v1=00" });
  await until(async () => /"msg":"applied"/.test(app.output()));
}, 240_000);

afterAll(async () => {
  await app?.destroy();
  collector?.close();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
});

const scrape = (headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) =>
  fetch(`${app.url}/metrics`, { headers });

describe("the log", () => {
  it("tells the story of an invoice, in order, to who greps for its id", () => {
    const lines = app
      .output()
      .split("\n")
      .filter((line) => line.includes(INVOICE))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const told = lines.toSorted((a, b) => String(a.time).localeCompare(String(b.time)));
    expect(told.map(({ msg, result, status }) => [msg, result ?? status])).toEqual(
      expect.arrayContaining([
        ["received", "accepted"],
        ["received", "duplicate"],
        ["applied", "done"],
      ]),
    );
    expect(told[0]).toMatchObject({ msg: "received", result: "accepted", trace: SENDERS_TRACE });
    expect(told.find(({ msg }) => msg === "applied")).toMatchObject({
      eventKey: "stripe/acct_sample/evt_telemetry_1",
      businessKeys: [`stripe/acct_sample/${INVOICE}/initial-credit-grant`],
      trace: SENDERS_TRACE,
    });
  });
});

describe("traces", () => {
  it("put receipt and apply into the trace that the sender began", async () => {
    const found = await until(async () => {
      const mine = spans.filter(({ traceId }) => traceId === SENDERS_TRACE);
      return mine.length >= 2 && mine;
    });
    const receive = found.find(({ name }) => name.startsWith("receive"));
    const apply = found.find(({ name }) => name.startsWith("apply"));
    expect(receive?.parentSpanId).toBe(SENDERS_SPAN);
    expect(apply?.parentSpanId).toBe(receive?.spanId);
  });
});

describe("figures", () => {
  it("are one scrape of receiver, worker and database", async () => {
    const text = await until(async () => {
      const body = await (await scrape()).text();
      return /counterfoil_events_settled_total\{.*process="worker-1"/.test(body) && body;
    });
    const read = (series: RegExp) => Number(text.match(series)?.[1]);
    expect(read(/counterfoil_receipts_total\{source="stripe",result="accepted".*\} (\d+)/)).toBe(1);
    expect(read(/counterfoil_receipts_total\{source="stripe",result="duplicate".*\} (\d+)/)).toBe(1);
    expect(read(/counterfoil_rejections_total\{source="stripe",reason="\w+".*\} (\d+)/)).toBe(1);
    expect(
      read(/counterfoil_events_settled_total\{source="stripe",status="done",outcome="applied".*\} (\d+)/),
    ).toBe(1);
    expect(read(/counterfoil_receipt_to_done_seconds_count\{source="stripe".*\} (\d+)/)).toBe(1);
    expect(read(/counterfoil_inbox_events\{source="stripe",status="pending"\} (\d+)/)).toBe(0);
    expect(read(/counterfoil_processes_alive\{role="worker"\} (\d+)/)).toBe(1);
    expect(read(/counterfoil_up (\d)/)).toBe(1);
    expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds\{.*process="web"/);
  });

  it("are not for everybody", async () => {
    expect((await scrape({})).status).toBe(401);
    expect((await scrape({ authorization: "Bearer wrong" })).status).toBe(401);
  });
});

it("leaves every invariant standing", async () => {
  const url = (await readFile(join(dataDir, "database-url"), "utf8")).trim();
  const sql = connect({ url, max: 1, name: "test" }) as unknown as Sql;
  const broken = await checkInvariants(sql);
  await sql.end();
  expect(broken.filter(({ ok }) => !ok)).toEqual([]);
});
