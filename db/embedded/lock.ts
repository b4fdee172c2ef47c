import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDataDir } from "./files.ts";

export type Lock = { release(): void };

export class LockedError extends Error {
  override name = "LockedError";
}

/**
 * Takes DATA_DIR for this process, or throws LockedError. The lock is an exclusive SQLite transaction that is never
 * committed: the operating system frees it however the holder dies, which a pid file cannot promise.
 */
export async function lockDataDir(dataDir: string): Promise<Lock> {
  await makeDataDir(dataDir);
  const lock = tryLock(join(dataDir, "lock"));
  if (lock) return lock;
  const holder = readHolder(join(dataDir, "lock"));
  throw new LockedError(
    `Counterfoil is already running on ${dataDir}${holder ? ` (pid ${holder})` : ""}. Stop it first, or set another DATA_DIR and PORT.`,
  );
}

/** Waits for a lock that is held for a short while only, for example during a build. */
export async function waitForLock(path: string, signal: AbortSignal, onWait: () => void): Promise<Lock> {
  mkdirSync(dirname(path), { recursive: true });
  for (let waited = false; ; waited = true) {
    signal.throwIfAborted();
    const lock = tryLock(path);
    if (lock) return lock;
    if (!waited) onWait();
    await sleep(250);
  }
}

function tryLock(path: string): Lock | null {
  closeSync(openSync(path, "a", 0o600)); // SQLite gives its journal the mode of the file.
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec("begin exclusive");
  } catch (error) {
    file.close();
    // 5 is SQLITE_BUSY; anything else (a full disk, no permission) is not "somebody else holds it".
    if ((error as { errcode?: number }).errcode === 5) return null;
    throw error;
  }
  writeFileSync(`${path}.holder`, `${process.pid}\n`, { mode: 0o600 });
  return { release: () => file.close() };
}

/** Who wrote their pid last; for the message alone, the lock decides. */
function readHolder(path: string): number | null {
  try {
    const pid = Number(readFileSync(`${path}.holder`, "utf8"));
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}
