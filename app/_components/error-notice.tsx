"use client";

import { Badge } from "./badge.tsx";

/** A page that could not be rendered. The digest leads to the cause in the server's log. */
export function ErrorNotice({ error, retry }: { error: unknown; retry: () => void }) {
  const digest =
    typeof error === "object" && error !== null && "digest" in error
      ? String(error.digest).slice(0, 40)
      : null;
  return (
    <section className="panel" role="alert">
      <div className="blank">
        <p className="mb-2">
          <Badge badge={{ tone: "bad", glyph: "!", word: "not available" }} />
        </p>
        <b>This page could not be read</b>
        <p className="mb-3">
          Nothing was changed. If the database is away, the page comes back with it.
          {digest ? (
            <>
              {" "}
              Look for <code>{digest}</code> in the server’s log.
            </>
          ) : null}
        </p>
        <button type="button" className="btn" onClick={retry}>
          Try again
        </button>
      </div>
    </section>
  );
}
