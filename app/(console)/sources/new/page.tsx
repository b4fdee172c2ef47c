import { requirePage } from "#app/guard.ts";
import { env } from "#lib/env.ts";
import { PageBar } from "../../../_components/page-bar.tsx";
import { AddSourceForm } from "../../../_components/sources/add-source-form.tsx";
import { Crumbs } from "../crumbs.tsx";
import { addSource } from "./actions.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Add a source" };

export default async function AddSourcePage() {
  await requirePage("sources.write");
  return (
    <>
      <PageBar
        title={
          <Crumbs>
            <span className="font-semibold">Add a source</span>
          </Crumbs>
        }
      />
      <AddSourceForm webhooksUrl={`${env().PUBLIC_URL}/api/webhooks`} action={addSource} />
    </>
  );
}
