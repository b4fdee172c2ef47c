import type { LoadedSource } from "./load.ts";

/** Milliseconds between two lines about one source: it is loaded each second while somebody sends to it. */
const QUIET = 60_000;

export type SecretAlarm = {
  source: string;
  /** Whether any other secret is left; without one the source answers 503. */
  closed: boolean;
  unusable: LoadedSource["unusableSecrets"];
};

/** Tells of secrets that are stored and cannot be used, at most once a minute per source. */
export function createSecretAlarm(
  tell: (alarm: SecretAlarm) => void,
  now: () => number = Date.now,
): (source: LoadedSource) => void {
  const told = new Map<string, number>();
  return ({ id, secrets, unusableSecrets }) => {
    if (unusableSecrets.length === 0) {
      told.delete(id);
      return;
    }
    if (now() - (told.get(id) ?? -QUIET) < QUIET) return;
    told.set(id, now());
    tell({ source: id, closed: secrets.length === 0, unusable: unusableSecrets });
  };
}
