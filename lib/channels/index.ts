import type { Channel as ChannelName } from "#db/states.ts";
import { email } from "./email.ts";
import { nats } from "./nats.ts";
import { slack } from "./slack.ts";
import type { Channel } from "./types.ts";
import { webhook } from "./webhook.ts";

/** One line per channel. */
export const channels: readonly Channel[] = [email, slack, webhook, nats];

const byName: ReadonlyMap<string, Channel> = new Map(channels.map((channel) => [channel.name, channel]));

/** The names are a closed set (db/states.ts), and each has its channel: the conformance suite says so. */
export function channelOf(name: ChannelName): Channel {
  const channel = byName.get(name);
  if (!channel) throw new Error(`no channel ${name}`);
  return channel;
}
