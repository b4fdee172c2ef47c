import type { Sql } from "#db/client.ts";
import type { Channel as ChannelName } from "#db/states.ts";
import type { Channel, ChannelEnv } from "#lib/channels/types.ts";
import { failpoint } from "#lib/failpoint.ts";
import type { Outbound } from "#lib/outbound/types.ts";
import { claimDue } from "./claim.ts";
import type { Clock } from "./clock.ts";
import { deliver } from "./deliver.ts";
import { isReady, prepareMessage, type ReadyMessage } from "./prepare.ts";
import { giveBack, startCalls } from "./start.ts";
import { type Result, type Written, writeResults } from "./write-results.ts";

/** What a dispatcher works with. */
export type Dispatching = {
  sql: Sql;
  clock: Clock;
  workerId: string;
  channels: readonly Channel[];
  outbound: Outbound;
  env: ChannelEnv;
  /** SECRET_KEY's bytes, and the key before it. */
  keys: readonly Buffer[];
};

/** Seconds between the end of a call's own deadline and the end of its lease. */
const MARGIN = 15;
/** Milliseconds: a process that needed longer from the commit of the start to the call stood still, and must not call. */
const LATEST_CALL = 8_000;

/** The channels that this installation can send through. */
export function usableChannels({ channels, env }: Pick<Dispatching, "channels" | "env">): Channel[] {
  return channels.filter((channel) => channel.missingSetup(env) === null);
}

export const missingChannels = ({ channels, env }: Pick<Dispatching, "channels" | "env">): ChannelName[] =>
  channels.filter((channel) => channel.missingSetup(env) !== null).map(({ name }) => name);

/** A set that was taken: what is settled without a call, and the calls that may now be made. */
export type Taken = {
  claimed: number;
  settled: Result[];
  calls: ((stop: AbortSignal) => Promise<Result | null>)[];
};

/**
 * Claims up to `slots` messages, prepares them and commits the start of their calls. No call has been made when it
 * returns. What cannot be prepared is settled without one: nothing of it has left.
 */
export async function takeDue(work: Dispatching, slots: number): Promise<Taken> {
  const channels = usableChannels(work);
  if (channels.length === 0) return { claimed: 0, settled: [], calls: [] };
  const claim = { slots, channels: channels.map(({ name }) => name), workerId: work.workerId };
  const messages = await claimDue(work.sql, work.clock, claim);
  const prepared = messages.map((message) =>
    prepareMessage(message, channels.find(({ name }) => name === message.channel)!, work.keys),
  );
  const ready = prepared.filter(isReady);
  const settled = prepared.filter((one): one is Result => !isReady(one));
  const before = performance.now();
  const started = await startCalls(
    work.sql,
    work.clock,
    ready.map(({ message: { id, token }, channel }) => ({
      id,
      token,
      // Policy `reconcile` asks the destination before or after the call, and that takes its time too.
      seconds: channel.timeoutSeconds * (channel.reconcile ? 3 : 1) + MARGIN,
    })),
  );
  const calls = ready
    .filter(({ message }) => started.has(message.id))
    .map((one) => async (stop: AbortSignal) => {
      if (performance.now() - before > LATEST_CALL || stop.aborted) return await leave(work, one);
      const result = await deliver(work, one, started.get(one.message.id)!, stop);
      failpoint("send.after-call");
      return result;
    });
  return { claimed: messages.length, settled, calls };
}

/** It was claimed and may no longer be called; no byte has left. */
async function leave(work: Dispatching, { message }: ReadyMessage): Promise<null> {
  await giveBack(work.sql, work.clock, [message]);
  return null;
}

/** One round, to its end: what tests and scripts use. Returns what was claimed, and where each message is now. */
export async function dispatchOnce(
  work: Dispatching,
  slots = 32,
): Promise<{ claimed: number; written: Written; results: Result[] }> {
  const { claimed, settled, calls } = await takeDue(work, slots);
  const never = new AbortController().signal;
  const called = await Promise.all(calls.map((call) => call(never)));
  const results = [...settled, ...called.filter((result) => result !== null)];
  return { claimed, results, written: await writeResults(work.sql, work.clock, results, work.workerId) };
}
