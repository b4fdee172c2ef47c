import type { Sql } from "#db/client.ts";
import { channels } from "#lib/channels/index.ts";
import { env } from "#lib/env.ts";
import { parseAllowances } from "#lib/outbound/allowances.ts";
import { createOutbound } from "#lib/outbound/create-outbound.ts";
import { DATABASE_CLOCK } from "#lib/outbox/clock.ts";
import { messageLink } from "#lib/outbox/link.ts";
import type { Result } from "#lib/outbox/write-results.ts";
import { secretKeys } from "#lib/secret-keys.ts";
import { log } from "#lib/telemetry/log.ts";
import { observeSend } from "#lib/telemetry/observe-send.ts";
import { startOutboxLoop } from "./outbox.ts";

/** Calls in flight per worker: they wait for others most of the time, so many cost little. */
const SLOTS = 64;
/** Milliseconds. */
const POLL_INTERVAL = 500;
/** Milliseconds that running calls get at a stop; what is cut then follows its policy. */
const GRACE = 4_000;

/** Starts this worker's dispatcher: every channel, one guarded way out. Uses four connections of `sql`. */
export function startSender(sql: Sql, workerId: string): { wake(): void; stop(): Promise<void> } {
  const { OUTBOUND_ALLOW, PUBLIC_URL, SMTP_URL, SECRET_KEY } = env();
  const allowances = parseAllowances(OUTBOUND_ALLOW ?? "");
  if (!allowances.ok) throw new Error(`OUTBOUND_ALLOW: ${allowances.why}`);
  const outbound = createOutbound({ allow: allowances.allow });
  const loop = startOutboxLoop({
    sql,
    clock: DATABASE_CLOCK,
    workerId,
    channels,
    outbound,
    env: env(),
    keys: SECRET_KEY ? secretKeys() : [],
    slots: SLOTS,
    pollInterval: POLL_INTERVAL,
    graceMs: GRACE,
    link: messageLink(PUBLIC_URL),
    onSettled: (results) => results.forEach(observe),
  });
  if (!SMTP_URL) log().info("no SMTP_URL: e-mail messages wait as pending");
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await outbound.close();
    },
  };
}

function observe({ message, ruling, startedAt, evidence }: Result): void {
  const { id, event, operationKey, subject, channel, traceparent } = message;
  const start = startedAt ? Date.parse(startedAt) : Date.now();
  observeSend({
    message: id,
    event,
    operationKey,
    subject,
    channel,
    outcome: ruling.result,
    why: ruling.result === "accepted" ? null : ruling.why,
    traceparent,
    start,
    end: start + (evidence?.latencyMs ?? 0),
  });
}
