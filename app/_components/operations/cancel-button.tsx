"use client";

import { useActionState } from "react";
import type { OperationView } from "#lib/api/reads/operations.ts";
import { toMillis } from "#lib/console/time.ts";
import { useNow } from "../use-now.ts";

type Props = {
  operation: Pick<OperationView, "status" | "startsAt">;
  /** The server's clock when this was rendered, milliseconds. */
  now: number;
  /** Returns why not, or null. */
  cancel: () => Promise<string | null>;
};

/** Undo while it has not begun, with the seconds that are left; after that, stop. */
export function CancelButton({ operation: { status, startsAt }, now, cancel }: Props) {
  const current = useNow(now, 500);
  const [problem, submit, busy] = useActionState(async () => {
    try {
      return await cancel();
    } catch {
      return "The server did not answer. Look at the operation again.";
    }
  }, null);
  const left = startsAt ? Math.max(0, Math.ceil((toMillis(startsAt) - current) / 1000)) : 0;
  return (
    <form action={submit} className="flex items-center gap-2">
      {problem ? (
        <span role="alert" className="text-2 text-bad">
          ! {problem}
        </span>
      ) : null}
      <button type="submit" className="btn main" disabled={busy}>
        {status === "scheduled" ? (left > 0 ? `Undo, ${left} s` : "Undo") : "Cancel the rest"}
      </button>
    </form>
  );
}
