/** What every request may hold without asking: as much as webhooks usually have. */
const FREE_BYTES = 65_536;

export type BodyLease = {
  /** False when the body, now `bytes` long in all, must not be kept. */
  allows(bytes: number): boolean;
  release(): void;
};

/**
 * Bounds the memory that bodies take between their first byte and their answer. They are read before anything is
 * verified, so strangers could fill it otherwise: 8,000 connections with a megabyte each. Large bodies share `max`
 * bytes; small ones never wait for them.
 */
export function createBodyBudget(max: number): () => BodyLease {
  let used = 0;
  return () => {
    let held = 0;
    return {
      allows(bytes) {
        const more = Math.max(0, bytes - FREE_BYTES) - held;
        if (more > 0 && used + more > max) return false;
        used += more;
        held += more;
        return true;
      },
      release() {
        used -= held;
        held = 0;
      },
    };
  };
}
