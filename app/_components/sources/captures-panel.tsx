import type { CaptureItem } from "#lib/api/reads/list-captures.ts";
import { viewPayload } from "#lib/console/payload.ts";
import { CAPTURES_SHOWN, type SourcePage } from "#lib/console/source-page.ts";
import { bytes } from "#lib/console/text.ts";
import { relative, toMillis } from "#lib/console/time.ts";
import { Blank } from "../blank.tsx";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { Payload } from "../payload.tsx";
import { type ReasonAction, ReasonDialog } from "../reason-dialog.tsx";

type Props = {
  page: Pick<SourcePage, "source" | "captures" | "now">;
  zone: string;
  set: (on: boolean) => ReasonAction;
};

/** Requests kept to learn a sender from, while nothing can be verified. None of them is ever processed. */
export function CapturesPanel({ page: { source, captures, now }, zone, set }: Props) {
  const { captureUntil, readiness } = source;
  const isOpen = readiness.state === "unconfigured";
  if (!isOpen && captures.length === 0) return null;
  return (
    <Panel
      title="Captured requests"
      aside={isOpen ? <Switch isOn={captureUntil !== null} set={set} /> : "kept from before"}
    >
      {captureUntil ? (
        <p className="part">
          On, ends {relative(toMillis(captureUntil), toMillis(now))}. At most 100 requests are kept in 24 h;
          senders still get 503.
        </p>
      ) : null}
      {captures.length === 0 ? (
        <Blank title={captureUntil ? "Nothing came yet" : "Capture is off"}>
          {captureUntil
            ? "Have the sender send something, for example a test from its own pages."
            : "Switch it on to look at real deliveries before the contract is written."}
        </Blank>
      ) : (
        captures.map((capture) => <Capture key={capture.id} capture={capture} zone={zone} />)
      )}
      {captures.length === CAPTURES_SHOWN ? (
        <p className="part text-1 text-ink-3">
          The newest {CAPTURES_SHOWN}. All of them: <code>GET /api/v1/sources/{source.id}/captures</code>
        </p>
      ) : null}
    </Panel>
  );
}

function Switch({ isOn, set }: { isOn: boolean; set: Props["set"] }) {
  return isOn ? (
    <ReasonDialog word="Stop…" title="Stop capturing" confirm="Stop" action={set(false)}>
      What was captured stays. Senders get 503 as before.
    </ReasonDialog>
  ) : (
    <ReasonDialog word="Capture…" title="Capture requests for 24 hours" confirm="Capture" action={set(true)}>
      Whole requests are kept, unverified and without credentials, to be looked at. Anybody who knows the
      address can fill the 100 places.
    </ReasonDialog>
  );
}

function Capture({ capture, zone }: { capture: CaptureItem; zone: string }) {
  const { headers, body } = capture;
  const content = body.encoding === "utf8" ? Buffer.from(body.text) : Buffer.from(body.text, "base64");
  return (
    <details className="part">
      <summary className="cursor-pointer">
        <Clock at={capture.at} zone={zone} withDay /> {capture.method}
        {capture.query ? (
          <code className="ml-1 [overflow-wrap:anywhere]">
            <OutsideText>{`?${capture.query}`}</OutsideText>
          </code>
        ) : null}
        <span className="text-ink-3">, {bytes(capture.bytes)}</span>
      </summary>
      <dl className="contract mt-2">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt className="mono">
              <OutsideText>{name}</OutsideText>
            </dt>
            <dd className="mono">
              <OutsideText>{value}</OutsideText>
            </dd>
          </div>
        ))}
      </dl>
      <Payload view={viewPayload(content)} label="Body of the captured request" />
    </details>
  );
}
