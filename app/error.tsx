"use client";

import { ErrorNotice } from "./_components/error-notice.tsx";

export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main className="mx-auto max-w-[62ch] p-5">
      <ErrorNotice error={error} retry={retry} />
    </main>
  );
}
