import type { z } from "zod";
import type { SourceView } from "#lib/admin/describe-source.ts";
import type { sourceAnswer } from "#lib/api/endpoints/sources.ts";
import { toIsoTime, toIsoTimeOrNull } from "#lib/api/iso-time.ts";
import { env } from "#lib/env.ts";
import { type Outcome, succeed } from "#lib/outcome.ts";

/** A source as the API shows it. */
export function toSourceAnswer(view: SourceView): z.input<typeof sourceAnswer> {
  return {
    ...view,
    webhookUrl: `${env().PUBLIC_URL}/api/webhooks/${view.id}`,
    secrets: view.secrets.map((secret) => ({
      ...secret,
      createdAt: toIsoTime(secret.createdAt),
      expiresAt: toIsoTimeOrNull(secret.expiresAt),
    })),
    credentials: view.credentials && {
      ...view.credentials,
      updatedAt: toIsoTime(view.credentials.updatedAt),
    },
    captureUntil: toIsoTimeOrNull(view.captureUntil),
    createdAt: toIsoTime(view.createdAt),
    updatedAt: toIsoTime(view.updatedAt),
  };
}

export function answerSource(outcome: Outcome<SourceView>) {
  return outcome.ok ? succeed({ body: toSourceAnswer(outcome.value) }) : outcome;
}
