import type { Sql, Tx } from "#db/client.ts";
import type { Channel as ChannelName, Policy } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { channelOf } from "#lib/channels/index.ts";
import type { Topic } from "#lib/channels/notice.ts";
import type { Outbound } from "#lib/outbound/types.ts";
import { type DestinationView, describeDestination, summarizeDestination } from "#lib/outbox/destination.ts";
import { BUILT_IN_EMAIL } from "#lib/outbox/message.ts";
import { targetFrom } from "#lib/outbox/target.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { encryptSecret } from "#lib/sources/secrets.ts";
import { isSameJson, writeAudit } from "./audit.ts";
import { Undo } from "./undo.ts";

export type PutDestination = {
  id: string;
  channel: ChannelName;
  topics: Topic[];
  /** Null: of all tenants. */
  tenant: string | null;
  url: string | null;
  to: string | null;
  /** Left out: the one that is there stays, because nobody can read it in order to send it again. */
  secret?: string;
  /** Left out: the channel's default. */
  policy?: Policy;
  owner: string | null;
  concurrency?: number;
};

export type PutDestinationResult = { created: boolean; destination: DestinationView };

/** SECRET_KEY's bytes and the key before it, the first of them for what is written; and what may be reached. */
export type PutDestinationContext = { keys: readonly Buffer[]; outbound: Pick<Outbound, "allow"> };

/** Creates or replaces a destination. The same request again changes nothing. */
export async function putDestination(
  sql: Sql,
  actor: Actor,
  context: PutDestinationContext,
  request: PutDestination,
): Promise<Outcome<PutDestinationResult>> {
  const channel = channelOf(request.channel);
  const policy = request.policy ?? channel.policies[0];
  if (!channel.policies.includes(policy)) {
    const known = channel.policies.join(", ");
    return refuse("unacceptable", `With ${channel.label} the policy is one of ${known}.`);
  }
  if (request.id === BUILT_IN_EMAIL && !isBuiltInShape(request)) {
    return refuse(
      "unacceptable",
      "The destination email is built in: it has channel email, no topics, no tenant and no address.",
    );
  }
  return await Undo.catch(() =>
    sql.begin(async (tx) => {
      if (request.tenant !== null)
        await tx`insert into tenants (id) values (${request.tenant}) on conflict do nothing`;
      await tx`select id from destinations where id = ${request.id} for no key update`;
      const before = await describeDestination(tx, request.id);
      if (before && before.channel !== request.channel) {
        Undo.unless(
          refuse("conflict", "A destination's channel cannot change: its messages are written for it."),
        );
      }
      const sealed = await seal(tx, context, request);
      await store(tx, request, policy, sealed);
      const after = (await describeDestination(tx, request.id))!;
      const [was, is] = [summarizeDestination(before), summarizeDestination(after)];
      if (!isSameJson(was, is)) {
        const action = before ? "destination.replace" : "destination.create";
        await writeAudit(tx, actor, { action, target: `destination:${request.id}`, before: was, after: is });
      }
      return succeed({ created: before === null, destination: after });
    }),
  );
}

const isBuiltInShape = ({ channel, topics, tenant, url, to, secret }: PutDestination) =>
  channel === "email" && topics.length === 0 && tenant === null && url === null && to === null && !secret;

type Sealed = {
  url: string | null;
  ciphertext: Buffer | null;
  keyId: string | null;
  fingerprint: string | null;
};

type StoredSecret = {
  ciphertext: Buffer | null;
  keyId: string | null;
  fingerprint: string | null;
  url: string | null;
};

/** Checks the whole target, the kept secret included, and encrypts what is new. */
async function seal(
  tx: Tx,
  { keys, outbound }: PutDestinationContext,
  request: PutDestination,
): Promise<Sealed> {
  const { id, channel, to } = request;
  const [stored] = await tx<StoredSecret[]>`
    select secret_ciphertext as ciphertext, secret_key_id as "keyId", secret_fingerprint as fingerprint, url
    from destinations where id = ${id}`;
  // A Slack webhook's URL is its secret; what is stored in the clear, and may be sent back, is where it leads.
  const isSlack = channel === "slack";
  const shown = isSlack && request.url ? maskUrl(request.url) : request.url;
  const isKeptUrl = isSlack && request.url !== null && request.url === stored?.url;
  const given = isSlack ? (isKeptUrl ? undefined : (request.url ?? undefined)) : request.secret;
  if (given === undefined && stored?.ciphertext) {
    const target = targetFrom(
      {
        channel,
        url: stored.url,
        recipient: to,
        secretKeyId: stored.keyId,
        secretCiphertext: stored.ciphertext,
      },
      keys,
    );
    if (!target)
      Undo.unless(
        refuse("conflict", "The stored secret cannot be opened with the present SECRET_KEY: send a new one."),
      );
    check(channel, { ...target!, url: isSlack ? target!.url : request.url }, outbound, id);
    return {
      url: shown,
      ciphertext: stored.ciphertext,
      keyId: stored.keyId,
      fingerprint: stored.fingerprint,
    };
  }
  check(channel, { url: request.url, to, secret: isSlack ? null : (given ?? null) }, outbound, id);
  if (given === undefined) return { url: shown, ciphertext: null, keyId: null, fingerprint: null };
  const { ciphertext, keyId, fingerprint } = encryptSecret(given, keys[0]!);
  // The same secret again is no change, although its encryption is another.
  if (stored?.fingerprint === fingerprint && stored.keyId === keyId) return { ...stored, url: shown };
  return { url: shown, ciphertext, keyId, fingerprint };
}

function check(
  channel: ChannelName,
  target: { url: string | null; to: string | null; secret: string | null },
  outbound: Pick<Outbound, "allow">,
  id: string,
): void {
  const why = id === BUILT_IN_EMAIL ? null : channelOf(channel).checkTarget(target, outbound);
  if (why) Undo.unless(refuse("unacceptable", why));
}

const maskUrl = (url: string): string => (URL.canParse(url) ? `${new URL(url).origin}/…` : "…");

async function store(tx: Tx, request: PutDestination, policy: Policy, sealed: Sealed): Promise<void> {
  const { id, channel, topics, tenant, to, owner, concurrency = 8 } = request;
  const { url, ciphertext, keyId, fingerprint } = sealed;
  const sorted = [...new Set(topics)].sort();
  await tx`
    insert into destinations (id, channel, topics, tenant_id, url, recipient, secret_ciphertext, secret_key_id,
      secret_fingerprint, policy, owner, concurrency)
    values (${id}, ${channel}, ${sorted}::text[], ${tenant}, ${url}, ${to}, ${ciphertext}, ${keyId}, ${fingerprint},
      ${policy}, ${owner}, ${concurrency})
    on conflict (id) do update set topics = excluded.topics, tenant_id = excluded.tenant_id, url = excluded.url,
      recipient = excluded.recipient, secret_ciphertext = excluded.secret_ciphertext,
      secret_key_id = excluded.secret_key_id, secret_fingerprint = excluded.secret_fingerprint,
      policy = excluded.policy, owner = excluded.owner, concurrency = excluded.concurrency, updated_at = now(),
      -- Another address or secret deserves a try at once.
      probe_at = case when destinations.broken_since is not null then now() end`;
}
