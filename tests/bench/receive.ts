import { openReceivers, type Receiver } from "./receivers.ts";
import { cpuBetween, readCpu } from "./support/cpu.ts";
import { formatNumber, printTable } from "./support/figures.ts";
import type { Lab } from "./support/lab.ts";
import type { LoadSample } from "./support/load.ts";
import { measureInRounds, medians } from "./support/rounds.ts";

/** With microseconds of processor per request, of the server process and its PostgreSQL sessions. */
type Sample = LoadSample & { cpu: number };

const CONNECTIONS = [1, 32, 128];

/**
 * Receivers under one load: the same signed 2 KB Stripe event with fresh ids, keep-alive connections, each with one
 * request under way. Ours through its web server and through Next alone, against what one writes by hand.
 */
export async function benchReceive(lab: Lab): Promise<void> {
  const size = lab.quick ? { rounds: 3, seconds: 2 } : { rounds: 7, seconds: 5 };
  const receivers = await openReceivers(lab);
  const calls = new Map(receivers.map(({ name }) => [name, 0]));
  const measure = async ({ name, run, sql, pid }: Receiver, connections: number, seconds: number) => {
    const before = await readCpu(sql, pid);
    const sample = await run(connections, seconds);
    const cpu = cpuBetween(before, await readCpu(sql, pid)) / sample.calls;
    calls.set(name, calls.get(name)! + sample.calls);
    return { ...sample, cpu };
  };
  for (const receiver of receivers) await measure(receiver, 32, 2); // Cold code would count as slowness.
  const results = new Map<string, Sample>();
  for (const connections of CONNECTIONS) {
    const contenders = receivers.map((receiver) => ({
      name: receiver.name,
      measure: () => measure(receiver, connections, size.seconds),
    }));
    for (const [name, samples] of await measureInRounds(contenders, size.rounds)) {
      results.set(`${name} ${connections}`, medians(samples));
    }
  }
  for (const { name, countStored } of receivers) checkStored(name, await countStored(), calls.get(name)!);
  report(lab, receivers, (name, connections) => results.get(`${name} ${connections}`));
}

/** Speed that loses an event, or that answers before it has one, is none. */
function checkStored(name: string, stored: number, answered: number): void {
  if (stored !== answered) throw new Error(`${name} answered ${answered} requests and stored ${stored}`);
}

type Result = (name: string, connections: number) => Sample | undefined;

function report(lab: Lab, receivers: readonly Receiver[], result: Result): void {
  for (const { name } of receivers) {
    for (const connections of CONNECTIONS) {
      const sample = result(name, connections)!;
      lab.figures.add(`receive.${name}.${connections}.rate`, "requests/s", sample.rate);
      lab.figures.add(`receive.${name}.${connections}.p50`, "ms", sample.p50);
      lab.figures.add(`receive.${name}.${connections}.p99`, "ms", sample.p99);
      lab.figures.add(`receive.${name}.${connections}.cpu`, "µs/request", sample.cpu);
    }
  }
  const cell = ({ rate, p50, p99, cpu }: Sample) =>
    `${formatNumber(rate)} /s  ${formatNumber(p50)} / ${formatNumber(p99)} ms  ${formatNumber(cpu)} µs`;
  printTable(
    "Receive: requests per second, p50 / p99, processor time a request (medians of the rounds)",
    ["", ...CONNECTIONS.map((connections) => `${connections} connection${connections > 1 ? "s" : ""}`)],
    receivers.map(({ name, label }) => [
      label,
      ...CONNECTIONS.map((connections) => cell(result(name, connections)!)),
    ]),
  );
  const ratio = (of: "rate" | "p99", peer: string, connections: number) =>
    (result("ours", connections)?.[of] ?? Number.NaN) / (result(peer, connections)?.[of] ?? Number.NaN);
  lab.figures.addTargets("Receive: ours against its peers", [
    ...CONNECTIONS.map((connections) => ({
      name: `receive.ratio.${connections}.rate_ours_to_next_by_hand`,
      unit: "×",
      value: ratio("rate", "next_by_hand", connections),
      atLeast: connections === 1 ? undefined : 6,
    })),
    {
      name: "receive.ratio.32.rate_ours_to_node_by_hand",
      unit: "×",
      value: ratio("rate", "node_by_hand", 32),
      atLeast: 1,
    },
    {
      name: "receive.ratio.128.rate_ours_to_node_by_hand",
      unit: "×",
      value: ratio("rate", "node_by_hand", 128),
      atLeast: 1.5,
    },
    {
      name: "receive.ratio.128.rate_ours_to_driver",
      unit: "×",
      value: ratio("rate", "driver", 128),
      atLeast: 1.2,
    },
    ...CONNECTIONS.map((connections) => ({
      name: `receive.ratio.${connections}.p99_ours_to_node_by_hand`,
      unit: "×",
      value: ratio("p99", "node_by_hand", connections),
      atMost: 1,
    })),
  ]);
}
