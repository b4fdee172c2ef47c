import type { Sql } from "#db/client.ts";
import { cleanText } from "#lib/json.ts";
import type { Rejection } from "./types.ts";

export type RejectionLog = {
  add(rejection: Rejection): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/** Rows kept per flush and (source, reason): a flood is counted whole and sampled. */
const SAMPLES_PER_FLUSH = 10;
/** Rows kept in all; the oldest go. */
const MAX_ROWS = 10_000;
/** Names of sources that do not exist are the caller's invention: they are counted under one name. Samples show them. */
const UNKNOWN = "(unknown)";
const MAX_INT = 2_147_483_647;
const FLUSH_EVERY = 1_000;

/**
 * Counts every rejected request and samples some into a bounded table, off the request's path: a flood of bad
 * requests costs one small write a second. `onError` hears of a flush that failed; its counts are kept for the next.
 */
export function createRejectionLog(sql: Sql, onError: (error: unknown) => void): RejectionLog {
  let counts = new Map<string, Counted>();
  let samples: Sample[] = [];
  let flushing: Promise<void> = Promise.resolve();

  function count({ sourceId, reason, count }: Counted): number {
    const key = `${sourceId} ${reason}`;
    const entry = counts.get(key) ?? { sourceId, reason, count: 0 };
    entry.count += count;
    counts.set(key, entry);
    return entry.count;
  }

  function add(rejection: Rejection): void {
    const { reason } = rejection;
    const sourceId = reason === "unknown_source" ? UNKNOWN : rejection.sourceId;
    if (count({ sourceId, reason, count: 1 }) <= SAMPLES_PER_FLUSH) samples.push(toSample(rejection));
  }

  async function write(): Promise<void> {
    if (counts.size === 0) return;
    const [countsNow, samplesNow] = [counts, samples];
    counts = new Map();
    samples = [];
    try {
      await sql.begin(async (tx) => {
        await tx`
          insert into rejection_counts as c (source_id, reason, hour, count)
          select s, r, date_trunc('hour', now()), n
          from json_to_recordset(${JSON.stringify([...countsNow.values()].map((c) => ({ s: c.sourceId, r: c.reason, n: c.count })))}::text::json) as x (s text, r text, n bigint)
          order by s, r
          on conflict (source_id, reason, hour) do update set count = c.count + excluded.count`;
        await tx`
          insert into rejections (at, source_id, reason, detail, remote_address, bytes)
          select at, s, r, d, a, b
          from json_to_recordset(${JSON.stringify(samplesNow)}::text::json)
            as x (at timestamptz, s text, r text, d text, a inet, b int)`;
        await tx`delete from rejections where id <= (select max(id) from rejections) - ${MAX_ROWS}`;
      });
    } catch (error) {
      for (const counted of countsNow.values()) count(counted);
      onError(error);
    }
  }

  const flush = () => {
    flushing = flushing.then(write);
    return flushing;
  };
  const timer = setInterval(flush, FLUSH_EVERY);
  timer.unref();
  return {
    add,
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

type Counted = { sourceId: string; reason: Rejection["reason"]; count: number };
type Sample = ReturnType<typeof toSample>;

/** As the table takes it: one value that it refuses would cost all samples of the flush. */
function toSample({ sourceId, reason, detail, remoteAddress, bytes }: Rejection) {
  return {
    at: new Date().toISOString(),
    s: cleanText(sourceId.slice(0, 63)),
    r: reason,
    d: detail === undefined ? null : cleanText(detail.slice(0, 200)),
    // Link-local addresses come with a zone, which inet does not take.
    a: remoteAddress?.split("%")[0] || null,
    // A sender may announce any length.
    b: bytes === null ? null : Math.min(bytes, MAX_INT),
  };
}
