"use client";

import { useLinkStatus } from "next/link";
import type { ReactNode } from "react";

/** The text of a link, stepping back while what it leads to is on its way. */
export function PendingWord({ children }: { children: ReactNode }) {
  const { pending } = useLinkStatus();
  return <span className={pending ? "pending-view" : ""}>{children}</span>;
}
