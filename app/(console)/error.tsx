"use client";

import { ErrorNotice } from "../_components/error-notice.tsx";

/** Inside the frame, so that the way to every other page stays open. */
export default function ConsoleError({ error, retry }: { error: unknown; retry: () => void }) {
  return <ErrorNotice error={error} retry={retry} />;
}
