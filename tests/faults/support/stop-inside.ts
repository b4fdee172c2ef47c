import { EFFECTS } from "#lib/effects/index.ts";

/** Loaded before a worker: at an event whose id begins with evt_stop the process is stopped (SIGSTOP), mid-transaction. */
for (const effect of EFFECTS) {
  const read = effect.read.bind(effect);
  effect.read = (event) => {
    if (event.eventId.startsWith("evt_stop")) process.kill(process.pid, "SIGSTOP");
    return read(event);
  };
}
