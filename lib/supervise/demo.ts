import { randomBytes } from "node:crypto";
import { log } from "#lib/telemetry/log.ts";
import { startChild } from "./child.ts";
import { keepRunning, type Member } from "./keep-running.ts";
import { StartError } from "./start-members.ts";

/**
 * Sets up `npm run demo`: a directory of its own, so that what is invented never gets among anybody's records, a token
 * for the simulators' set-up, and leave to call them on loopback. Before the settings are read. Throws StartError on a
 * DATABASE_URL.
 */
export function prepareDemo(variables: NodeJS.ProcessEnv): void {
  if (variables.DATABASE_URL?.trim())
    throw new StartError("The demo plays on the embedded database alone: unset DATABASE_URL.");
  variables.DATA_DIR = variables.DATA_DIR?.trim() || ".data/demo";
  variables.ADMIN_TOKEN = variables.ADMIN_TOKEN?.trim() || randomBytes(24).toString("base64url");
  variables.OUTBOUND_ALLOW = [variables.OUTBOUND_ALLOW?.trim(), "127.0.0.1"].filter(Boolean).join(",");
}

/** The simulated senders, in a process of their own that is started again when it dies. */
export function startDemo(root: string, env: NodeJS.ProcessEnv): Promise<Member> {
  const tell = (what: string) => log().warn({ child: "demo" }, what);
  return keepRunning({
    start: () =>
      startChild({
        file: "tests/simulators/demo.ts",
        cwd: root,
        env: { ...env, COUNTERFOIL_PROCESS: "demo" },
      }),
    onDied: () => tell("the simulated senders ended"),
    onRestarted: () => tell("the simulated senders were started again"),
    onFailed: (error) =>
      log().error({ err: error, child: "demo" }, "the simulated senders could not be started"),
  });
}
