import { redirect } from "next/navigation";
import { requirePage } from "#app/guard.ts";
import { goHref } from "#lib/console/links.ts";
import { readText } from "../read-text.ts";

export const dynamic = "force-dynamic";

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Where a form leads that runs without script: /go?id=… */
export default async function GoPage({ searchParams }: Props) {
  await requirePage("inbox.read");
  const id = readText((await searchParams).id);
  redirect(id ? goHref(id) : "/");
}
