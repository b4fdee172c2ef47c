import { withTimeout } from "#lib/with-timeout.ts";
import type { LoadedSource } from "./load.ts";

type Entry = { source: LoadedSource; loadedAt: number };

export type SourceCache = {
  /** The source as of at most a second ago; null only after a look at the database that began now. */
  get(id: string): Promise<LoadedSource | null>;
  /** The source as of now: before a request is turned away, so that no refusal comes from an old copy. */
  fresh(id: string): Promise<LoadedSource | null>;
};

/** Milliseconds for which a loaded source serves without a look at the database. */
const MAX_AGE = 1_000;
/** Milliseconds after which a database that does not answer counts as away. */
const LOAD_TIMEOUT = 5_000;

/**
 * Keeps sources in this process for a second. Loads of one id are shared: a flood of bad signatures costs one query
 * at a time, because a caller joins a load that began after it asked, and queues behind one that began before.
 */
export function createSourceCache(load: (id: string) => Promise<LoadedSource | null>): SourceCache {
  const entries = new Map<string, Entry>();
  const running = new Map<string, Promise<LoadedSource | null>>();
  const queued = new Map<string, Promise<LoadedSource | null>>();

  async function start(id: string): Promise<LoadedSource | null> {
    const loadedAt = Date.now();
    const source = await withTimeout(load(id), LOAD_TIMEOUT, "the source could not be loaded");
    // Unknown names are not kept: a flood of them must not fill the memory.
    if (source) entries.set(id, { source, loadedAt });
    else entries.delete(id);
    return source;
  }

  function track(
    map: Map<string, Promise<LoadedSource | null>>,
    id: string,
    work: Promise<LoadedSource | null>,
  ) {
    map.set(id, work);
    const forget = () => {
      if (map.get(id) === work) map.delete(id);
    };
    work.then(forget, forget);
    return work;
  }

  function fresh(id: string): Promise<LoadedSource | null> {
    const current = running.get(id);
    if (!current) return track(running, id, start(id));
    const next = queued.get(id);
    if (next) return next;
    const after = current
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => track(running, id, start(id)));
    return track(queued, id, after);
  }

  return {
    fresh,
    async get(id) {
      const entry = entries.get(id);
      if (entry && Date.now() - entry.loadedAt < MAX_AGE) return entry.source;
      return (await running.get(id)) ?? fresh(id);
    },
  };
}
