import Link from "next/link";
import { Brand } from "./_components/shell/brand.tsx";

export const metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <main className="mx-auto max-w-[62ch] p-5 grid gap-4">
      <Brand />
      <h1>There is no such page</h1>
      <p className="text-ink-2">
        The address may be mistyped.{" "}
        <Link className="link" href="/">
          Go to the overview
        </Link>
        , or find an event, an invoice or a workspace by its id from there.
      </p>
    </main>
  );
}
