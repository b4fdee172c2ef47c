import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { paidInvoice, randomText, VARYING } from "./stripe-traffic.ts";
import { WORKSPACES } from "./workspaces.ts";

export type ArrivalOrder = { count: number; perSecond: number };
/** Invoice id, and when its event came: milliseconds since 1970. */
export type Arrival = [invoice: string, at: number];

/**
 * Lets events arrive at a steady rate, whether or not the ones before are done: a sender does not wait either.
 * `accept` takes the event's body and resolves when it is stored.
 */
export async function letArrive(
  { count, perSecond }: ArrivalOrder,
  accept: (body: string, invoice: string) => Promise<unknown>,
): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const under: Promise<unknown>[] = [];
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const parts = Object.entries(VARYING).map(([part, length]) => [part, randomText(length)]);
    const filled = Object.fromEntries(parts) as Record<keyof typeof VARYING, string>;
    const body = paidInvoice((part) => filled[part], `cus_${1 + Math.floor(Math.random() * WORKSPACES)}`);
    await sleep(Math.max(0, start + (index * 1_000) / perSecond - performance.now()));
    const invoice = `in_${filled.invoice}`;
    arrivals.push([invoice, performance.timeOrigin + performance.now()]);
    under.push(accept(body, invoice));
  }
  await Promise.all(under);
  return arrivals;
}
