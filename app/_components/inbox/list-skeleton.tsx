const WIDTHS = ["72%", "58%", "81%", "64%", "76%", "52%", "69%", "84%"];

/** What stands for the rows until they come: paper with pencil lines. */
export function ListSkeleton() {
  return (
    <section className="panel" aria-busy="true" aria-label="Loading">
      <p className="sr-only">Loading…</p>
      <svg width="100%" height={WIDTHS.length * 36} aria-hidden="true">
        {WIDTHS.map((width, row) => (
          <rect key={width} className="fill-line" x="16" y={row * 36 + 13} height="10" width={width} rx="3" />
        ))}
      </svg>
    </section>
  );
}
