import Link from "next/link";
import { countOf } from "#lib/console/text.ts";

/** What processes died of, where there is something of it. */
export function SetAside({ suspects, poison }: { suspects: number; poison: number }) {
  if (suspects === 0 && poison === 0) return null;
  return (
    <section className="panel" aria-label="Events at which a process died">
      {suspects > 0 ? (
        <p className="part">
          {countOf(suspects, "event")} at which a process died: worked one at a time, apart from all others.
        </p>
      ) : null}
      {poison > 0 ? (
        <p className="part">
          {countOf(poison, "event")} set aside: the process died each time.{" "}
          <Link href="/inbox?status=failed">Failed events</Link>
        </p>
      ) : null}
    </section>
  );
}
