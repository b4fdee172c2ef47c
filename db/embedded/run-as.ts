import { type SpawnOptions, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";

/** How PostgreSQL is run, and who owns its files then. It refuses to run as root. */
export type RunAs = {
  how: "self" | "account" | "namespace";
  owner: { uid: number; gid: number };
  /** Put in front of a command. */
  prefix: string[];
};

type Account = { name: string; uid: number; gid: number };

/**
 * Not root: as we are. Root: as the account `postgres`, if it can reach both the binaries and the data. It cannot
 * in a clone below a directory of mode 0700 (mktemp -d); then in a user namespace in which root appears as an
 * ordinary account: same pid, signals pass, the files stay root's. Only if the system forbids that is an account made.
 */
export function chooseRunAs(binaries: Binaries, dataDir: string): RunAs {
  const uid = process.getuid?.();
  if (uid !== 0) return { how: "self", owner: { uid: uid ?? -1, gid: process.getgid?.() ?? -1 }, prefix: [] };

  const accounts = readAccounts();
  const known = accounts.find((account) => account.name === "postgres");
  if (known && canReach(known, binaries, dataDir)) return runAsAccount(known);

  const shown = known ?? accounts.find((account) => account.uid !== 0 && account.gid !== 0);
  if (shown) {
    // initdb looks its user id up, so the id that root appears as must be one in /etc/passwd.
    const prefix = ["unshare", "--user", `--map-user=${shown.uid}`, `--map-group=${shown.gid}`, "--"];
    if (succeeds([...prefix, binaries.postgres, "--version"])) {
      return { how: "namespace", owner: { uid: 0, gid: 0 }, prefix };
    }
  }

  const made = known ?? createAccount();
  if (made && canReach(made, binaries, dataDir)) return runAsAccount(made);
  throw new Error(
    `PostgreSQL refuses to run as root, and no other way was found: ${
      made
        ? `the account "postgres" cannot reach ${dataDir} and ${binaries.postgres}`
        : "there is no account postgres"
    }, and user namespaces (unshare --user) are not permitted here. Start Counterfoil as an ordinary user, move it and DATA_DIR to directories that everybody may enter (chmod a+x), or set DATABASE_URL.`,
  );
}

/** File, arguments and options for node:child_process. The environment is bare: PG* variables would change things. */
export function commandAs(runAs: RunAs, file: string, args: string[]): [string, string[], SpawnOptions] {
  const [command, ...rest] = [...runAs.prefix, file, ...args];
  const env = {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    LC_ALL: "C",
    TZ: "UTC",
  } as unknown as NodeJS.ProcessEnv;
  const owner = runAs.how === "account" ? runAs.owner : {};
  return [command!, rest, { cwd: "/", env, ...owner }];
}

function runAsAccount({ uid, gid }: Account): RunAs {
  return { how: "account", owner: { uid, gid }, prefix: [] };
}

function canReach({ uid, gid }: Account, binaries: Binaries, dataDir: string): boolean {
  const sample = join(binaries.share, "postgresql", "postgres.bki");
  const script = 'test -r "$1" && cd "$2" && exec "$0" --version';
  return succeeds(["/bin/sh", "-c", script, binaries.postgres, sample, dataDir], { uid, gid });
}

function createAccount(): Account | undefined {
  succeeds(["groupadd", "--system", "postgres"]);
  succeeds(["useradd", "--system", "--gid", "postgres", "--no-create-home", "postgres"]);
  return readAccounts().find((account) => account.name === "postgres");
}

function readAccounts(): Account[] {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const [name, , uid, gid] = line.split(":");
    return { name: name!, uid: Number(uid), gid: Number(gid) };
  });
}

function succeeds([file, ...args]: string[], options: { uid?: number; gid?: number } = {}): boolean {
  return spawnSync(file!, args, { cwd: "/", stdio: "ignore", timeout: 10_000, ...options }).status === 0;
}
