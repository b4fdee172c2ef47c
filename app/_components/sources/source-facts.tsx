import Link from "next/link";
import { KIND_WORDS } from "#lib/console/kind-words.ts";
import { rejectionsHref } from "#lib/console/rejections.ts";
import type { SourcePage } from "#lib/console/source-page.ts";
import { bytes, capped, number } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { CopyButton } from "../copy-button.tsx";
import { Id } from "../id.tsx";

type Props = { page: SourcePage; webhookUrl: string };

/** Where it listens, what came, and how it is set up. */
export function SourceFacts({ page: { source, activity, now }, webhookUrl }: Props) {
  const { settings } = source;
  return (
    <section className="panel" aria-label="Facts">
      <div className="part">
        <p className="text-1 text-ink-2 mb-1">The sender posts to</p>
        <p className="mb-2 [overflow-wrap:anywhere]">
          <Id full>{webhookUrl}</Id>
        </p>
        <CopyButton text={webhookUrl}>Copy address</CopyButton>
      </div>
      <dl className="facts border-t border-line">
        <dt>Kind</dt>
        <dd>{KIND_WORDS[source.kind].name}</dd>
        <dt>Last event</dt>
        <dd>{activity.lastEventAt ? <Ago at={activity.lastEventAt} now={toMillis(now)} /> : "never"}</dd>
        <dt>Events, 24 h</dt>
        <dd>
          <Link className="link" href={`/inbox?source=${source.id}`}>
            {capped(activity.events)}
          </Link>
        </dd>
        <dt>Turned away, 24 h</dt>
        <dd>
          <Link className="link" href={rejectionsHref({ source: source.id })}>
            {capped(activity.rejections)}
          </Link>
        </dd>
        <dt>Credits for an invoice</dt>
        <dd>
          {number(settings.credits)}
          {Object.keys(settings.creditsByPrice).length > 0 ? ", or by price" : ""}
        </dd>
        <dt>Bodies are kept for</dt>
        <dd>{settings.retentionDays} days</dd>
        {settings.maxBodyBytes === null ? null : (
          <>
            <dt>Largest body</dt>
            <dd>{bytes(settings.maxBodyBytes)}</dd>
          </>
        )}
      </dl>
    </section>
  );
}
