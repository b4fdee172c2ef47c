import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getEvent, getInvoice } from "#lib/api/endpoints/inbox.ts";
import { getWorkspace } from "#lib/api/endpoints/workspaces.ts";
import { adapterOf } from "#lib/sources/index.ts";
import type { Sample } from "#lib/supervise/sample.ts";
import { type Client, send } from "../client.ts";
import type { Command } from "../command.ts";
import { CliFailure, EXIT } from "../failure.ts";
import { firstSample, makeSampleEvent, nextSample } from "../sample-event.ts";
import { showText } from "../table.ts";

/** Milliseconds to wait for the worker. */
const PATIENCE = 2_000;

export const sample: Command = {
  name: "sample",
  usage: "[--new]",
  summary: "Sign a paid invoice as Stripe does and send it; always the same one, or with --new another",
  options: { new: { type: "boolean" } },
  positionals: [],
  async run({ values }, { client, settings, print }) {
    const config = await readSample(settings.dataDir);
    const ids = values.new ? nextSample() : firstSample(config.created);
    const answer = await deliver(settings.url, config, JSON.stringify(makeSampleEvent(ids, config)));
    const key = { source: config.source, account: config.account, invoice: ids.invoice };
    const result = settings.token ? await followUp(client, answer.event, key) : null;
    const path = [key.source, key.account, key.invoice].map(encodeURIComponent).join("/");
    const url = `${settings.publicUrl}/invoices/${path}`;
    print({ answer, ...result, url }, () =>
      [
        `Sent invoice.paid ${ids.event} for invoice ${ids.invoice}`,
        `Answer   ${answer.status} ${answer.event}`,
        ...(result ? [`Result   ${showText(result.sentence)}`] : []),
        ...(result?.workspace
          ? [`Balance  ${result.creditBalance} credits in ${showText(result.workspace)}`]
          : []),
        `Trace    ${url}`,
      ].join("\n"),
    );
    return EXIT.done;
  },
};

async function readSample(dataDir: string): Promise<Sample> {
  const path = join(dataDir, "sample.json");
  try {
    return JSON.parse(await readFile(path, "utf8")) as Sample;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw new CliFailure(`${path} cannot be read.`);
    throw new CliFailure(
      `There is no ${path}. npm start makes it for the embedded database alone; with another DATA_DIR, set that here too.`,
    );
  }
}

async function deliver(
  url: string,
  config: Sample,
  text: string,
): Promise<{ status: string; event: string }> {
  const body = Buffer.from(text);
  const secret = { text: config.secret, fingerprint: "" };
  const signed = adapterOf("stripe")!.sign({ body, secret, now: new Date(), contract: null });
  const headers = { "content-type": "application/json; charset=utf-8", ...signed };
  const response = await send(url, `/api/webhooks/${config.source}`, { method: "POST", headers, body: text });
  const answer = (await response.json().catch(() => null)) as { status?: string; event?: string } | null;
  if (response.ok && answer?.status && answer.event) return { status: answer.status, event: answer.event };
  const why = response.status === 401 ? " Was the sample's secret rotated?" : "";
  throw new CliFailure(
    `The receiver answered ${response.status}: ${showText(JSON.stringify(answer))}.${why}`,
  );
}

type Key = { source: string; account: string; invoice: string };

/** Waits until the worker has settled the event, for a moment only, and reads what came of it. */
async function followUp(client: Client, event: string, key: Key) {
  const end = Date.now() + PATIENCE;
  while ((await client(getEvent, { params: { id: event } })).status === "pending" && Date.now() < end)
    await sleep(50);
  const { sentence, workspace } = await client(getInvoice, { params: key });
  if (!workspace) return { sentence, workspace: null, creditBalance: null };
  const { creditBalance } = await client(getWorkspace, {
    params: { id: workspace.id },
    query: { limit: "1" },
  });
  return { sentence, workspace: workspace.name, creditBalance };
}
