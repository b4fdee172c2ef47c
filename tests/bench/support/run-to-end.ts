import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Lab } from "./lab.ts";

/** Runs a script to its end. Throws with what it printed when it fails. */
export async function runToEnd(lab: Lab, command: string[], cwd: string): Promise<void> {
  const child = spawn(process.execPath, command, {
    cwd,
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  lab.onClose(async () => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output = (output + chunk).slice(-10_000);
    });
  }
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command.join(" ")} failed:\n${output}`);
}
