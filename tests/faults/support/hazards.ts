import { EFFECTS } from "#lib/effects/index.ts";

/**
 * Loaded before a worker (NODE_OPTIONS --import): events whose id begins so do to their process what it says, in the
 * middle of their effect. The product's code knows nothing of it.
 */
const HAZARDS: Record<string, () => void> = {
  evt_memory: () => {
    const held: unknown[] = [];
    for (;;) held.push(new Array(100_000).fill(held.length));
  },
  evt_stack: function fall(): void {
    fall();
    Math.random();
  },
  evt_loop: () => {
    for (;;);
  },
  evt_die: () => {
    process.kill(process.pid, "SIGKILL");
    for (;;);
  },
};

for (const effect of EFFECTS) {
  const read = effect.read.bind(effect);
  effect.read = (event) => {
    const [, hazard] = Object.entries(HAZARDS).find(([prefix]) => event.eventId.startsWith(prefix)) ?? [];
    hazard?.();
    return read(event);
  };
}
