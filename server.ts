import { LockedError } from "#db/embedded/lock.ts";
import { SchemaError } from "#db/migrate.ts";
import { EnvError } from "#lib/env.ts";
import { prepareDemo } from "#lib/supervise/demo.ts";
import { StartError } from "#lib/supervise/start-members.ts";
import { listenForStop } from "#lib/supervise/stop.ts";
import { supervise } from "#lib/supervise/supervise.ts";
import { complain, ignoreClosedOutput } from "#lib/supervise/terminal.ts";

/** `npm start`, with --dev `npm run dev`, with --demo `npm run demo`: one process that starts, watches and ends all the others. */
ignoreClosedOutput();
const stop = listenForStop();
let status = 0;
try {
  const [dev, demo] = ["--dev", "--demo"].map((flag) => process.argv.includes(flag));
  if (demo) prepareDemo(process.env);
  await supervise({ root: import.meta.dirname, dev: dev!, demo, stop });
} catch (error) {
  if (!stop.signal.aborted) {
    status = 1;
    complain(describe(error));
  }
}
await stop.run((error) => complain(describe(error)));
process.exit(status);

/** An operator's mistake is one sentence; only what nobody expected comes with its stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof EnvError)
    return `Counterfoil cannot start. These settings are not right:\n${error.message}`;
  const expected = [LockedError, SchemaError, StartError].some((known) => error instanceof known);
  return expected || error.constructor === Error ? error.message : (error.stack ?? error.message);
}
