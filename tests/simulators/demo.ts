import { setTimeout as sleep } from "node:timers/promises";
import { env, linkHost } from "#lib/env.ts";
import { onStop } from "#lib/supervise/on-stop.ts";
import { log } from "#lib/telemetry/log.ts";
import { play, playAll } from "./demo/scenes.ts";
import { startSenders } from "./demo/senders.ts";
import { type Api, setUp } from "./demo/set-up.ts";

/** Milliseconds between two things that happen: enough to watch, little for a machine with two cores. */
const PACE = 2_500;
/** The same while the pages fill. */
const FIRST_PACE = 150;
const FIRST = 40;

/** `npm run demo`: simulated senders with duplicates, conflicts, disorder and faults, until stopped. */
const { HOST, PORT, ADMIN_TOKEN } = env();
const url = `http://${linkHost(HOST)}:${PORT}`;
const senders = await startSenders(url);
const stopping = new AbortController();
const playing = run().catch((error) => {
  if (stopping.signal.aborted) return;
  log().error({ err: error }, "the demo ended");
  process.exit(1);
});
onStop(async () => {
  stopping.abort();
  await playing;
  await senders.stop();
}, 5_000);

async function run(): Promise<void> {
  await setUp(api, senders);
  await playAll(senders);
  log().info("the simulated senders are set up; things happen every few seconds");
  // The first sweep leaves the last five minutes alone; a newcomer wants to see gaps at once.
  for (const source of ["demo-stripe", "demo-payments", "demo-github"]) await compare(source);
  for (let scenes = 0; !stopping.signal.aborted; scenes++) {
    await play(senders).catch((error) => log().debug({ err: error }, "a scene failed"));
    await sleep(scenes < FIRST ? FIRST_PACE : PACE, undefined, { signal: stopping.signal });
  }
}

async function compare(source: string): Promise<void> {
  const [from, to] = [-3_600_000, 1_000].map((ms) => new Date(Date.now() + ms).toISOString());
  await api("POST", "reconciliations", { source, from, to, repair: false, reason: "demo" });
}

async function api(...[method, path, body]: Parameters<Api>): Promise<void> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
  });
  if (!response.ok)
    throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`);
}
