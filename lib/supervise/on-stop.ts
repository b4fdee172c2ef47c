import { log } from "#lib/telemetry/log.ts";

/**
 * For web and worker: calls `stop` once, on SIGTERM, on SIGINT, or when the supervisor is gone (then the IPC channel
 * closes, however it died), and ends the process. Whatever hangs, it ends after limitMs.
 */
export function onStop(stop: () => Promise<void>, limitMs: number): void {
  let stopping = false;
  const begin = (why: string) => {
    if (stopping) return;
    stopping = true;
    log().info({ why }, "stopping");
    setTimeout(() => {
      log().error("stopping took too long");
      process.exit(1);
    }, limitMs).unref();
    stop().then(
      () => process.exit(0),
      (error) => {
        log().error({ err: error }, "stopping failed");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => begin("SIGTERM"));
  process.on("SIGINT", () => begin("SIGINT"));
  process.on("disconnect", () => begin("the supervisor is gone"));
  if (process.send && !process.connected) begin("the supervisor is gone");
}
