import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";

/** How PostgreSQL is run, and who owns its files then. It refuses to run as root. */
export type RunAs = {
  how: "self" | "account" | "namespace";
  owner: { uid: number; gid: number };
  /** Put in front of a command. */
  prefix: string[];
};

type Options = { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
type Account = { name: string; uid: number; gid: number };

/**
 * Not root: as we are. Root: as whoever owns the data already, or as the account `postgres`, if they can reach both the
 * binaries and the data. They cannot in a clone below a directory of mode 0700 (mktemp -d); then in a user namespace in
 * which root appears as an ordinary account: same pid, signals pass, the files stay root's. Only if the system forbids
 * that is an account made.
 */
export function chooseRunAs(binaries: Binaries, dataDir: string): RunAs {
  const uid = process.getuid?.();
  if (uid !== 0) return { how: "self", owner: { uid: uid ?? -1, gid: process.getgid?.() ?? -1 }, prefix: [] };

  const accounts = readAccounts();
  const known = accounts.find((account) => account.name === "postgres");
  for (const account of [findOwner(accounts, dataDir), known]) {
    if (!account) continue;
    const runAs = asAccount(account);
    if (canReach(runAs, binaries, dataDir)) return runAs;
  }
  const shown = known ?? accounts.find((account) => account.uid !== 0 && account.gid !== 0);
  if (shown) {
    const runAs = asNamespace(shown);
    if (canReach(runAs, binaries, dataDir)) return runAs;
  }
  const made = known ? undefined : createAccount();
  if (made && canReach(asAccount(made), binaries, dataDir)) return asAccount(made);
  throw new Error(
    `PostgreSQL refuses to run as root, and no other way was found: ${
      known || made
        ? `the account "postgres" cannot reach ${dataDir} and ${binaries.postgres}`
        : 'there is no account "postgres" and none could be made'
    }, and user namespaces (unshare --user) do not help here. Start Counterfoil as an ordinary user, move it and DATA_DIR to directories that everybody may enter (chmod a+x), or set DATABASE_URL.`,
  );
}

/** Whose data it is, when it is not root's. initdb looks its user up, so a new cluster needs one with an account. */
function findOwner(accounts: Account[], dataDir: string): Account | undefined {
  const cluster = statSync(join(dataDir, "postgres"), { throwIfNoEntry: false });
  const { uid, gid } = cluster ?? statSync(dataDir);
  if (uid === 0) return undefined;
  const named = accounts.find((account) => account.uid === uid);
  return named ?? (cluster ? { name: String(uid), uid, gid } : undefined);
}

/** File, arguments and options for node:child_process. The environment is bare: PG* variables would change things. */
export function commandAs(runAs: RunAs, file: string, args: string[]): [string, string[], Options] {
  const [command, ...rest] = [...runAs.prefix, file, ...args];
  const env = {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    LC_ALL: "C",
    TZ: "UTC",
  } as unknown as NodeJS.ProcessEnv;
  const owner = runAs.how === "account" ? runAs.owner : {};
  return [command!, rest, { cwd: "/", env, ...owner }];
}

function asAccount({ uid, gid }: Account): RunAs {
  return { how: "account", owner: { uid, gid }, prefix: [] };
}

/** The id that root appears as must be one in /etc/passwd, again for initdb. */
function asNamespace({ uid, gid }: Account): RunAs {
  const prefix = ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"];
  return { how: "namespace", owner: { uid: 0, gid: 0 }, prefix };
}

function canReach(runAs: RunAs, binaries: Binaries, dataDir: string): boolean {
  const sample = join(binaries.share, "postgresql", "postgres.bki");
  const script = 'test -r "$1" && cd "$2" && exec "$0" --version';
  const [file, args, options] = commandAs(runAs, "/bin/sh", [
    "-c",
    script,
    binaries.postgres,
    sample,
    dataDir,
  ]);
  return spawnSync(file, args, { ...options, stdio: "ignore", timeout: 10_000 }).status === 0;
}

function createAccount(): Account | undefined {
  spawnSync("groupadd", ["--system", "postgres"], { stdio: "ignore" });
  spawnSync("useradd", ["--system", "--gid", "postgres", "--no-create-home", "postgres"], {
    stdio: "ignore",
  });
  return readAccounts().find((account) => account.name === "postgres");
}

function readAccounts(): Account[] {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const [name, , uid, gid] = line.split(":");
    return { name: name!, uid: Number(uid), gid: Number(gid) };
  });
}
