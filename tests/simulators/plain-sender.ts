import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { adapterOf } from "#lib/sources/index.ts";
import { type SimulatorOptions, startApiServer } from "./api-server.ts";
import { createDeliveries } from "./deliveries.ts";
import { createFaults } from "./faults.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type SenderOptions = SimulatorOptions & {
  schedule: readonly number[];
  window: number;
  userAgent: string;
  sign(id: string, at: Date, body: Buffer): Record<string, string>;
};

/** A sender without lists and redelivery: what it gave up on is gone. */
async function startPlainSender({ clock, target, port, sign, ...options }: SenderOptions) {
  const faults = createFaults();
  const state = { target };
  const deliveries = createDeliveries({ ...options, clock, faults, target: () => state.target });

  async function emit(type: string, payload: Record<string, unknown>): Promise<string> {
    const id = `msg_${randomBytes(9).toString("hex")}`;
    const body = Buffer.from(JSON.stringify(payload));
    await deliveries.send({ eventId: id, type, body, sign: (at) => sign(id, at, body) });
    return id;
  }

  const server = await startApiServer({
    clock,
    faults,
    answer: () => null,
    toError: (status) => ({ error: `simulated ${status}` }),
    port,
    control: { emit: ({ type, payload }) => emit(type, payload).then((id) => ({ id })) },
  });
  return { ...server, faults, clock, state, deliveries, emit };
}

export type PlainSimulator = Awaited<ReturnType<typeof startPlainSender>>;

/** Standard Webhooks: signed by the official package, with the schedule that the standard recommends. */
export function startStandardWebhooks(
  options: SimulatorOptions & { secret: string },
): Promise<PlainSimulator> {
  const webhook = new Webhook(options.secret);
  return startPlainSender({
    ...options,
    schedule: [
      5_000,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
    ],
    window: 76 * HOUR,
    userAgent: "Standard-Webhooks/1",
    sign: (id, at, body) => ({
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": webhook.sign(id, at, body.toString()),
    }),
  });
}

/**
 * Sinalio-like. Its public pages specify no signature, so it signs by the contract that a test or the demo gives, with
 * our own signer; retries for a day.
 */
export function startSinalio(
  options: SimulatorOptions & { secret: string; contract: unknown },
): Promise<PlainSimulator> {
  return startPlainSender({
    ...options,
    schedule: [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR],
    window: 24 * HOUR,
    userAgent: "Sinalio-Webhooks",
    sign: (id, now, body) =>
      adapterOf("sinalio")!.sign({
        body,
        secret: { text: options.secret, fingerprint: "" },
        now,
        contract: options.contract,
        id,
      }),
  });
}
