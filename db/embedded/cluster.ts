import { spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { changeOwner, readPrivateFile, writePrivateFile } from "./files.ts";
import { commandAs, type RunAs } from "./run-as.ts";

export type Access = { port: number; password: string };

export const clusterDir = (dataDir: string) => join(dataDir, "postgres");

/** Makes the cluster on the first start; later only sees to it that it belongs to whoever runs PostgreSQL now. */
export async function prepareCluster(binaries: Binaries, runAs: RunAs, dataDir: string): Promise<Access> {
  const cluster = clusterDir(dataDir);
  if (!existsSync(cluster)) return createCluster(binaries, runAs, dataDir);
  const access = await readAccess(dataDir);
  if (!access) {
    throw new Error(
      `${accessFile(dataDir)} holds the password of the embedded database and is missing or damaged. Restore it from a backup together with ${cluster}, or move ${cluster} away to begin with an empty database.`,
    );
  }
  if (process.getuid?.() === 0 && (await stat(cluster)).uid !== runAs.owner.uid) {
    await changeOwner(cluster, runAs.owner);
  }
  return access;
}

export async function saveAccess(dataDir: string, access: Access): Promise<void> {
  await writePrivateFile(accessFile(dataDir), `${JSON.stringify(access)}\n`);
}

/** A free port below the ephemeral range: no outgoing connection takes it while PostgreSQL is down for a moment. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await isPortFree(port)) return port;
  }
  throw new Error("No free port between 20000 and 32000 on 127.0.0.1 for the embedded PostgreSQL.");
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Builds in a directory of another name and renames it, so that a start killed half-way begins anew. */
async function createCluster(binaries: Binaries, runAs: RunAs, dataDir: string): Promise<Access> {
  const building = join(dataDir, "postgres.new");
  const passwordFile = join(dataDir, "postgres.password");
  const access = { port: await findFreePort(), password: randomBytes(24).toString("base64url") };
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { mode: 0o700 });
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, access.password, { mode: 0o600 });
  if (runAs.how === "account") {
    await chown(building, runAs.owner.uid, runAs.owner.gid);
    await chown(passwordFile, runAs.owner.uid, runAs.owner.gid);
  }
  try {
    await runInitdb(binaries, runAs, [
      `--pgdata=${building}`,
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      // Sorts by code point and knows no locale of the machine, so that a data directory can move.
      "--locale-provider=builtin",
      "--locale=C.UTF-8",
      "--no-instructions",
    ]);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await chmod(building, 0o700);
  await saveAccess(dataDir, access);
  await rename(building, clusterDir(dataDir));
  return access;
}

function runInitdb(binaries: Binaries, runAs: RunAs, args: string[]): Promise<void> {
  const [file, rest, options] = commandAs(runAs, binaries.initdb, args);
  return new Promise((resolve, reject) => {
    const child = spawn(file, rest, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`initdb could not make the embedded database:\n${output.trim().slice(-2000)}`));
    });
  });
}

async function readAccess(dataDir: string): Promise<Access | null> {
  const text = await readPrivateFile(accessFile(dataDir));
  try {
    const { port, password } = JSON.parse(text ?? "") as Partial<Access>;
    return typeof port === "number" && typeof password === "string" ? { port, password } : null;
  } catch {
    return null;
  }
}

function accessFile(dataDir: string): string {
  return join(dataDir, "postgres.json");
}
