import { createHash, randomBytes } from "node:crypto";
import type { Sql } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { takesType } from "#lib/effects/index.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { judge } from "#lib/receive/judge.ts";
import type { SenderContract } from "#lib/sources/contract-schema.ts";
import { writeTimestamp } from "#lib/sources/contract-time.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { type LoadedSource, loadSource } from "#lib/sources/load.ts";
import { readPayload } from "#lib/sources/payload.ts";
import type { SourceAdapter } from "#lib/sources/types.ts";
import { writeAudit } from "./audit.ts";
import { explainTest } from "./explain-test.ts";
import { makeTestEvent } from "./make-test-event.ts";
import { postTestEvent, type TestAnswer } from "./post-test-event.ts";

export type SendTestEvent = { id: string; type?: string; reason?: string };

export type TestReport = {
  eventId: string;
  type: string;
  /** Fingerprint of the secret that signed it. */
  secret: string;
  /** Null when nothing answered. */
  answer: TestAnswer | null;
  /** Counterfoil's own id of the event, where it was stored. */
  event: string | null;
  /** What the answer proves, in a sentence or two. */
  proves: string;
};

/**
 * Sends a source's own receiver an event over HTTP, signed with its newest secret, and tells what the answer proves.
 * Only an event that can have no effect is sent. Audited before it is sent: a transaction cannot span a request.
 * `keys` are SECRET_KEY's bytes and those of the one before it, `origin` is where this process listens.
 */
export async function sendTestEvent(
  sql: Sql,
  actor: Actor,
  keys: readonly Buffer[],
  origin: string,
  { id, type, reason }: SendTestEvent,
): Promise<Outcome<TestReport>> {
  const source = await loadSource(sql, id, keys);
  if (!source) return refuse("not_found", "There is no such source.");
  const made = makeSigned(source, type);
  if (!made.ok) return made;
  const { body, headers, ...about } = made.value;
  await sql.begin((tx) =>
    writeAudit(tx, actor, {
      action: "source.test",
      target: `source:${id}`,
      reason,
      before: null,
      after: about,
    }),
  );
  const answer = await postTestEvent(`${origin}/api/webhooks/${id}`, body, headers);
  return succeed({ ...about, answer, ...explainTest({ ...about, answer }) });
}

type Signed = {
  eventId: string;
  type: string;
  secret: string;
  body: Buffer;
  headers: Record<string, string>;
};

function makeSigned(source: LoadedSource, wanted: string | undefined): Outcome<Signed> {
  const adapter = adapterOf(source.kind);
  const secret = source.secrets[0];
  if (!adapter) return refuse("unacceptable", "This source is built in: nobody can send to it.");
  if (!secret)
    return refuse(
      "conflict",
      "The source has no usable secret, so nothing can be signed; the receiver answers 503.",
    );
  const checked = adapter.checkContract?.(source.contract);
  const contract = checked?.ok ? (checked.contract as SenderContract) : null;
  if (adapter.checkContract && !contract?.verification) {
    return refuse(
      "conflict",
      "Verification is not configured, so nothing can be signed; the receiver answers 503.",
    );
  }
  const at = new Date();
  const eventId = `evt_test_${randomBytes(9).toString("hex")}`;
  const made = makeTestEvent({
    kind: source.kind,
    contract,
    id: eventId,
    type: wanted,
    account: source.ownBase,
    mode: source.accounts.has(source.ownBase) ? "live" : "test",
    now: (unit) => (unit === "iso" ? writeTimestamp(at, unit) : Number(writeTimestamp(at, unit))),
  });
  if (!made.ok) return made;
  const { type } = made.value;
  const body = Buffer.from(JSON.stringify(made.value.payload));
  const signed = adapter.sign({
    body,
    secret,
    now: at,
    contract: source.contract,
    id: eventId,
    type,
  });
  const headers = { "content-type": "application/json", ...signed };
  const harm = findHarm(source, adapter, type, body, headers);
  if (harm) return refuse("unacceptable", harm);
  return succeed({ eventId, type, secret: secret.fingerprint, body, headers });
}

/** Why the event is not to be sent: the receiver would hand it to an effect, now or when what it waits for is there. */
function findHarm(
  source: LoadedSource,
  adapter: SourceAdapter,
  type: string,
  body: Buffer,
  headers: Record<string, string>,
): string | null {
  const header = (name: string) => headers[name] ?? null;
  const parsed = readPayload(adapter, body, header);
  const identified = parsed.ok
    ? adapter.identify({ payload: parsed.value, header, body, contract: source.contract })
    : parsed;
  // Unconfigured: the receiver answers 503 before it looks into the body.
  if (adapter.readiness?.(source.contract).state === "unconfigured") return null;
  if (!identified.ok) return `No test event fits this source: ${identified.why}.`;
  const { state, type: judgedType } = judge(
    source,
    adapter,
    identified,
    createHash("sha256").update(body).digest(),
    takesType,
  );
  const isTaken = [type, judgedType].some((name) => takesType(source.kind, name, source.contract));
  return isTaken || state.status === "pending"
    ? `Events of type ${type} have effects, and a test must have none.`
    : null;
}
