import Link from "next/link";

export function Brand() {
  return (
    <Link href="/" className="brand">
      <svg
        viewBox="0 0 20 20"
        width="20"
        height="20"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        aria-hidden="true"
      >
        <path d="M3 3h14v14l-2.3-1.5L12.3 17 10 15.5 7.7 17l-2.4-1.5L3 17z" />
        <path d="M8 3v12" strokeDasharray="1.6 1.8" />
      </svg>
      Counterfoil
    </Link>
  );
}
