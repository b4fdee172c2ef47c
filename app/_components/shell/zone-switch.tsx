"use client";

import { useRouter } from "next/navigation";
import { useSyncExternalStore } from "react";
import { ZONE_COOKIE } from "#lib/console/viewer.ts";
import { keepChoice } from "./cookie.ts";

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
const never = () => () => {};

/** The zone that all times are shown in, and the way to the other one: UTC, or this browser's. */
export function ZoneSwitch({ zone }: { zone: string }) {
  const router = useRouter();
  const own = useSyncExternalStore(never, ownZone, () => zone);
  const other = zone === "UTC" ? own : "UTC";
  if (other === zone) return <span>Times in {zone}</span>;
  const change = () => {
    keepChoice(ZONE_COOKIE, other === "UTC" ? null : other);
    router.refresh();
  };
  return (
    <button type="button" onClick={change}>
      Times in {zone} <span className="sr-only">, change to {other}</span>
    </button>
  );
}
