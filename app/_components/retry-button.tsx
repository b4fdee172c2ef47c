"use client";

import { useRouter } from "next/navigation";
import { useTransition } from "react";

export function RetryButton() {
  const router = useRouter();
  const [busy, start] = useTransition();
  return (
    <button type="button" className="btn" disabled={busy} onClick={() => start(() => router.refresh())}>
      {busy ? "Trying…" : "Try again"}
    </button>
  );
}
