import { randomUUID } from "node:crypto";
import type { SimClock } from "./clock.ts";
import type { Faults } from "./faults.ts";

export type Attempt = {
  /** Milliseconds since the epoch, on the sender's clock. */
  at: number;
  /** Null when nothing answered. */
  status: number | null;
  body: string;
};

export type Delivery = {
  id: string;
  /** The event's own id; several deliveries may carry one event. */
  eventId: string;
  type: string;
  createdAt: number;
  status: "pending" | "delivered" | "abandoned";
  attempts: Attempt[];
};

export type Outgoing = {
  id?: string;
  eventId: string;
  type: string;
  body: Buffer;
  /** Made anew for each attempt: a signature has the time of its attempt. */
  sign(at: Date): Record<string, string>;
};

export type DeliveriesOptions = {
  clock: SimClock;
  faults: Faults;
  /** Where to; null sends nothing, as when no endpoint is registered. */
  target(): string | null;
  /** Delays between attempts, milliseconds; the last is repeated. Empty: there is no retry. */
  schedule: readonly number[];
  /** No attempt later than this after the first. Milliseconds. */
  window: number;
  userAgent: string;
  /** What the sender waits for an answer, milliseconds of real time. */
  timeout?: number;
};

export type Deliveries = {
  send(outgoing: Outgoing): Promise<Delivery>;
  /** One attempt at once, whatever its state; one that fails leaves an abandoned delivery abandoned. */
  retry(id: string): Promise<Delivery | null>;
  find(id: string): Delivery | undefined;
  list(): readonly Delivery[];
};

/** Sends as senders do: by a schedule, until 2xx or the end of the window, with the faults that were asked for. */
export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { clock, faults } = options;
  const kept = new Map<string, { delivery: Delivery; outgoing: Outgoing }>();
  let held: (() => Promise<void>)[] = [];

  async function post(outgoing: Outgoing): Promise<Attempt> {
    const at = clock.now();
    const target = options.target();
    if (!target || faults.take("drop")) return { at, status: null, body: "" };
    try {
      const response = await fetch(target, {
        method: "POST",
        body: new Uint8Array(outgoing.body),
        redirect: "manual",
        headers: {
          "content-type": "application/json",
          "user-agent": options.userAgent,
          ...outgoing.sign(new Date(at)),
        },
        signal: AbortSignal.timeout(options.timeout ?? 10_000),
      });
      return { at, status: response.status, body: (await response.text()).slice(0, 1_000) };
    } catch {
      return { at, status: null, body: "" };
    }
  }

  async function attempt(id: string): Promise<void> {
    const { delivery, outgoing } = kept.get(id)!;
    if (faults.take("lost")) {
      delivery.status = "delivered";
      delivery.attempts.push({ at: clock.now(), status: 200, body: "" });
      return;
    }
    const made = await post(outgoing);
    delivery.attempts.push(made);
    if (isSuccess(made)) {
      delivery.status = "delivered";
      if (faults.take("duplicate")) delivery.attempts.push(await post(outgoing));
    } else {
      planNext(delivery);
    }
    const waiting = held;
    held = [];
    for (const next of waiting) await next();
  }

  function planNext(delivery: Delivery): void {
    const { schedule, window } = options;
    const delay = schedule[Math.min(delivery.attempts.length - 1, schedule.length - 1)];
    const at = clock.now() + (delay ?? 0);
    if (delay === undefined || at > delivery.createdAt + window) delivery.status = "abandoned";
    else clock.schedule(at, () => attempt(delivery.id));
  }

  return {
    async send(outgoing) {
      const id = outgoing.id ?? `dlv_${randomUUID()}`;
      const { eventId, type } = outgoing;
      const delivery: Delivery = {
        id,
        eventId,
        type,
        createdAt: clock.now(),
        status: "pending",
        attempts: [],
      };
      kept.set(id, { delivery, outgoing });
      const delay = faults.take("delay");
      if (delay) clock.schedule(clock.now() + delay.ms, () => attempt(id));
      else if (faults.take("reorder")) held.push(() => attempt(id));
      else await attempt(id);
      return delivery;
    },
    async retry(id) {
      const entry = kept.get(id);
      if (!entry) return null;
      const made = await post(entry.outgoing);
      entry.delivery.attempts.push(made);
      if (isSuccess(made)) entry.delivery.status = "delivered";
      return entry.delivery;
    },
    find: (id) => kept.get(id)?.delivery,
    list: () => [...kept.values()].map(({ delivery }) => delivery),
  };
}

const isSuccess = ({ status }: Attempt) => status !== null && status >= 200 && status < 300;
