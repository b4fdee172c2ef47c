import type { Sql } from "#db/client.ts";
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
/** Names of sources that do not exist are the caller's invention; beyond this many they share one. */
const MAX_KEYS = 200;
const FLUSH_EVERY = 1_000;

/**
 * Counts every rejected request and samples some into a bounded table, off the request's path: a flood of bad
 * requests costs one small write a second. `onError` hears of a flush that failed; its counts are kept for the next.
 */
export function createRejectionLog(sql: Sql, onError: (error: unknown) => void): RejectionLog {
  let counts = new Map<string, { sourceId: string; reason: string; count: number }>();
  let samples: (Rejection & { at: string })[] = [];
  let flushing: Promise<void> = Promise.resolve();

  function add(rejection: Rejection): void {
    const known = rejection.sourceId.slice(0, 63).toWellFormed().replaceAll("\0", "");
    const sourceId =
      counts.size < MAX_KEYS || counts.has(`${known} ${rejection.reason}`) ? known : "(others)";
    const key = `${sourceId} ${rejection.reason}`;
    const entry = counts.get(key) ?? { sourceId, reason: rejection.reason, count: 0 };
    entry.count++;
    counts.set(key, entry);
    if (entry.count <= SAMPLES_PER_FLUSH)
      samples.push({ ...rejection, sourceId, at: new Date().toISOString() });
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
          from json_to_recordset(${JSON.stringify(samplesNow.map((x) => ({ at: x.at, s: x.sourceId, r: x.reason, d: x.detail, a: x.remoteAddress, b: x.bytes })))}::text::json)
            as x (at timestamptz, s text, r text, d text, a inet, b int)`;
        await tx`delete from rejections where id <= (select max(id) from rejections) - ${MAX_ROWS}`;
      });
    } catch (error) {
      for (const [key, old] of countsNow) {
        const entry = counts.get(key);
        if (entry) entry.count += old.count;
        else counts.set(key, old);
      }
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
