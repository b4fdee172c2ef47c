import { notFound } from "next/navigation";
import { db } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { secretKeys } from "#app/secret-keys.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { loadSourcePage } from "#lib/console/source-page.ts";
import { sourceBadges } from "#lib/console/source-state.ts";
import { env } from "#lib/env.ts";
import { OutsideText } from "../../../_components/outside-text.tsx";
import { PageBar } from "../../../_components/page-bar.tsx";
import { AutoRefresh } from "../../../_components/shell/auto-refresh.tsx";
import { Badges } from "../../../_components/sources/badges.tsx";
import { PauseButton } from "../../../_components/sources/pause-button.tsx";
import { SourceStory } from "../../../_components/sources/source-story.tsx";
import { readSegment } from "../../read-text.ts";
import { readViewer } from "../../viewer.ts";
import { Crumbs } from "../crumbs.tsx";
import { confirmItem, replaceContract, rotate, sendTest, setPaused, switchCapture } from "./actions.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Source" };

export default async function SourceDetailPage({ params }: { params: Promise<{ id: string }> }) {
  await requirePage("sources.read");
  const id = readSegment((await params).id);
  const [{ zone }, page] = await Promise.all([
    readViewer(),
    id ? withDeadline(loadSourcePage(db(), secretKeys(), id)) : null,
  ]);
  if (!id || !page || page.source.kind === "manual") notFound();
  const { source, health } = page;
  return (
    <>
      <PageBar
        title={
          <Crumbs>
            <span className="font-semibold [overflow-wrap:anywhere]">
              <OutsideText>{source.name}</OutsideText>
            </span>
            <Badges badges={sourceBadges(source, health)} />
          </Crumbs>
        }
      >
        <PauseButton
          isPaused={source.status === "paused"}
          set={(paused) => setPaused.bind(null, id, paused)}
        />
      </PageBar>
      <AutoRefresh on="change" />
      <SourceStory
        page={page}
        zone={zone}
        webhookUrl={`${env().PUBLIC_URL}/api/webhooks/${source.id}`}
        actions={{
          rotate: rotate.bind(null, id),
          replace: replaceContract.bind(null, id),
          test: sendTest.bind(null, id),
          confirm: (item) => confirmItem.bind(null, id, item),
          capture: (on) => switchCapture.bind(null, id, on),
        }}
      />
    </>
  );
}
