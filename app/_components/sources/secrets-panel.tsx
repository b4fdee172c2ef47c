import type { SecretView } from "#lib/admin/describe-source.ts";
import type { SecretHealth } from "#lib/admin/secret-health.ts";
import type { Badge as BadgeView } from "#lib/console/badge.ts";
import { duration, relative, toMillis } from "#lib/console/time.ts";
import { Badge } from "../badge.tsx";
import { Blank } from "../blank.tsx";
import { Clock } from "../clock.tsx";
import { Id } from "../id.tsx";
import { Panel } from "../panel.tsx";
import { type RotateAction, RotateDialog } from "./rotate-dialog.tsx";

type Props = {
  secrets: SecretView[];
  health: SecretHealth[];
  hint: string;
  now: string;
  zone: string;
  rotate: RotateAction;
};

/** The signing secrets: which they are and how old, never what they are. The first is the current one. */
export function SecretsPanel({ secrets, health, hint, now, zone, rotate }: Props) {
  return (
    <Panel
      title="Secrets"
      aside={<RotateDialog hint={hint} hasSecret={secrets.length > 0} action={rotate} />}
    >
      {secrets.length === 0 ? (
        <Blank title="No secret">
          Nothing can be verified, so every request is answered with 503 and its sender comes back.
        </Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Fingerprint</th>
                <th scope="col">Note</th>
                <th scope="col" className="num">
                  Age
                </th>
              </tr>
            </thead>
            <tbody>
              {secrets.map((secret, at) => (
                <SecretRow
                  key={`${secret.fingerprint} ${secret.createdAt}`}
                  secret={secret}
                  why={health.find(({ fingerprint }) => fingerprint === secret.fingerprint)?.why ?? null}
                  isNewest={at === 0}
                  now={now}
                  zone={zone}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

type RowProps = { secret: SecretView; why: string | null; isNewest: boolean; now: string; zone: string };

function SecretRow({ secret, why, isNewest, now, zone }: RowProps) {
  return (
    <tr>
      <td className="lead">
        <Badge badge={badgeOf(secret, why, isNewest)} />
      </td>
      <td className="line">
        <Id full>{secret.fingerprint}</Id>
      </td>
      <td className="wide wrap text-ink-2">
        {why && !secret.expired ? `${why}. ` : null}
        {secret.expiresAt ? (
          <>
            {secret.expired ? "ended" : "ends"} {relative(toMillis(secret.expiresAt), toMillis(now))},{" "}
            <Clock at={secret.expiresAt} zone={zone} withDay />
          </>
        ) : null}
      </td>
      <td className="num when text-ink-2">{duration(secret.ageSeconds * 1000)}</td>
    </tr>
  );
}

function badgeOf(secret: SecretView, why: string | null, isNewest: boolean): BadgeView {
  if (secret.expired) return { tone: "mute", glyph: "×", word: "ended" };
  if (why) return { tone: "bad", glyph: "!", word: "not usable" };
  if (secret.expiresAt) return { tone: "wait", glyph: "◷", word: "still taken" };
  return isNewest
    ? { tone: "ok", glyph: "✓", word: "current" }
    : { tone: "ok", glyph: "✓", word: "current too" };
}
