/** The steps between which a process may be made to die; tests/faults kills it at each. */
export const FAILPOINTS = [
  "receive.before-store",
  "receive.after-insert",
  "receive.after-commit",
  "inline.after-insert",
  "inline.before-commit",
  "inline.after-commit",
  "apply.after-claim",
  "apply.after-note",
  "apply.after-locks",
  "apply.after-facts",
  "apply.before-write",
  "apply.after-write",
  "apply.before-commit",
  "apply.after-commit",
  "retry.before-record",
  "retry.after-record",
  "replay.before-write",
  "replay.before-commit",
  "replay.after-commit",
  "resolve.before-commit",
  "operation.before-commit",
  "reconcile.after-step",
  "reconcile.after-repair",
  "send.after-claim",
  "send.before-start",
  "send.after-start",
  "send.after-call",
  "send.before-settle",
  "send.after-settle",
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

// "apply.before-commit" dies at the first passage, "apply.before-commit:3" at the third.
const [armed, passage] = (process.env.COUNTERFOIL_FAILPOINT ?? "").split(":");
let left = Number(passage ?? 1);

function dieAt(name: Failpoint): void {
  if (name !== armed || --left > 0) return;
  process.kill(process.pid, "SIGKILL");
  // The signal is on its way; not one more statement may be sent.
  for (;;);
}

/** Dies here, without any clean-up, when COUNTERFOIL_FAILPOINT names this point; otherwise an empty call. */
export const failpoint: (name: Failpoint) => void = armed ? dieAt : () => {};
