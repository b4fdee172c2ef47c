import { isDataError } from "#db/errors.ts";
import { takesType } from "#lib/effects/index.ts";
import { env } from "#lib/env.ts";
import { captureRequest } from "#lib/receive/capture.ts";
import { GroupCommit } from "#lib/receive/group-commit.ts";
import { createInlineStore } from "#lib/receive/inline.ts";
import { createReceiver } from "#lib/receive/receive.ts";
import { createRejectionLog, type RejectionLog } from "#lib/receive/rejection-log.ts";
import { storeReceipts } from "#lib/receive/store-receipts.ts";
import type { Receipt, ReceiveRequest, ReceiveResponse, Stored } from "#lib/receive/types.ts";
import { createWorkerHint } from "#lib/receive/worker-hint.ts";
import { createSourceCache } from "#lib/sources/cache.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { loadSource } from "#lib/sources/load.ts";
import { createSecretAlarm } from "#lib/sources/secret-alarm.ts";
import { parseSecretKey } from "#lib/sources/secrets.ts";
import { log } from "#lib/telemetry/log.ts";
import { metrics } from "#lib/telemetry/metrics.ts";
import { db, hintDb, receiveDb } from "./db.ts";

type Receiver = { receive(request: ReceiveRequest): Promise<ReceiveResponse>; rejections: RejectionLog };

// On globalThis for the reason given in db.ts: the group commit must be one per process, or it is no group.
const holder = globalThis as typeof globalThis & { counterfoilReceiver?: Receiver };

function open(): Receiver {
  const { SECRET_KEY, SECRET_KEY_OLD, MAX_BODY_BYTES } = env();
  if (!SECRET_KEY) throw new Error("SECRET_KEY is not set");
  const keys = [SECRET_KEY, SECRET_KEY_OLD].flatMap((text) => (text ? [parseSecretKey(text)] : []));
  const alarm = createSecretAlarm(({ closed, ...about }) =>
    closed
      ? log().error(about, "a source has no usable secret and answers 503")
      : log().warn(about, "a source has a secret that cannot be used"),
  );
  const hint = createWorkerHint(hintDb());
  const commit = new GroupCommit<Receipt, Stored>({
    write: async (batch) => {
      const measured = metrics().storeSeconds.startTimer();
      const stored = await storeReceipts(receiveDb(), batch);
      measured();
      metrics().storeRows.observe(batch.length);
      hint();
      return stored;
    },
    sizeOf: (receipt) => receipt.body.length + 1_024,
    isRowFault: isDataError,
    maxRows: 256,
    maxBatchBytes: 4 * 2 ** 20,
    maxWaitingRows: 10_000,
    maxWaitingBytes: 128 * 2 ** 20,
    parallel: 1,
  });
  const rejections = createRejectionLog(db(), (error) =>
    log().error({ err: error }, "rejections could not be counted"),
  );
  const receive = createReceiver({
    sources: createSourceCache(async (id) => {
      const source = await loadSource(db(), id, keys);
      if (source) alarm(source);
      return source;
    }),
    adapterOf,
    takes: takesType,
    store: (receipt) => commit.add(receipt),
    storeInline: createInlineStore({
      sql: db(),
      store: (receipt) => commit.add(receipt),
      onLeft: (error, source) => log().warn({ err: error, source }, "an inline event is left to a worker"),
    }),
    reject: (rejection) => rejections.add(rejection),
    capture: (sourceId, request, body) =>
      captureRequest(db(), sourceId, request, body).catch((error) => {
        log().warn({ err: error, source: sourceId }, "a request could not be captured");
      }),
    onUnavailable: (error, source) => tellUnavailable(error, source),
    maxBodyBytes: MAX_BODY_BYTES,
    storeTimeout: 10_000,
    now: () => new Date(),
  });
  return { receive, rejections };
}

let untold = 0;
let toldAt = 0;

/** Once a second at the most: in an outage every sender comes, and comes again. */
function tellUnavailable(error: unknown, source: string): void {
  untold++;
  if (Date.now() - toldAt < 1_000) return;
  toldAt = Date.now();
  log().error({ err: error, source, events: untold }, "events were answered with 503");
  untold = 0;
}

/** The receive function of this process: the same behind server.ts and behind Next's route handler. */
export function receiver(): (request: ReceiveRequest) => Promise<ReceiveResponse> {
  holder.counterfoilReceiver ??= open();
  return holder.counterfoilReceiver.receive;
}

/** Writes what the rejection log still holds; for the orderly stop, before the pools end. */
export async function closeReceiver(): Promise<void> {
  const current = holder.counterfoilReceiver;
  holder.counterfoilReceiver = undefined;
  await current?.rejections.stop();
}
