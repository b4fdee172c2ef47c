import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "#db/client.ts";
import type { Policy } from "#db/states.ts";
import type { Channel, SendOutcome } from "#lib/channels/types.ts";
import type { Dispatching } from "#lib/outbox/dispatch.ts";

/** A destination on loopback: each call is kept; `answer` decides what it gets, and may hold it or cut the line. */
export type Receiver = {
  url: string;
  calls: { id: string; body: string; at: number }[];
  answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void;
  close(): Promise<void>;
};

export async function openReceiver(status = 200): Promise<Receiver> {
  const receiver: Receiver = {
    url: "",
    calls: [],
    answer: (_, response) => response.writeHead(status).end("taken"),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const id = String(request.headers["webhook-id"]);
      receiver.calls.push({ id, body: Buffer.concat(chunks).toString(), at: Date.now() });
      receiver.answer(request, response, receiver.calls.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`;
  return receiver;
}

/**
 * The plainest channel there is: the content's text is posted under the message's id. What a dispatcher does with
 * outcomes is tested through it with real peers; the channels that ship have tests of their own.
 */
export function plainChannel(options: Partial<Channel> = {}): Channel {
  return {
    name: "webhook",
    label: "plain call",
    policies: ["duplicate-ok", "idempotent", "reconcile", "review"],
    keyLifetimeSeconds: 3_600,
    timeoutSeconds: 2,
    checkTarget: () => null,
    missingSetup: () => null,
    render: ({ topic }) => ({ ok: true, content: { text: topic } }),
    async send(message, { url }, { signal }) {
      const began = performance.now();
      const evidence = () => ({ responseBody: null, latencyMs: performance.now() - began });
      try {
        const response = await fetch(url!, {
          method: "POST",
          headers: { "webhook-id": message.id },
          body: (message.content as { text: string }).text,
          signal,
          redirect: "manual",
        });
        return await read(response, evidence().latencyMs);
      } catch (error) {
        const code = (error as { cause?: { code?: string } }).cause?.code;
        if (code === "ECONNREFUSED") {
          return {
            ...evidence(),
            ...{ kind: "retry", blame: "destination", disables: false, after: null, code: "refused" },
            ...{ bytesLeft: false, status: null, why: "Nobody listens there." },
          } as SendOutcome;
        }
        const why = signal.aborted ? "No answer came in time." : "The connection ended without an answer.";
        return {
          ...evidence(),
          kind: "unknown",
          code: signal.aborted ? "timeout" : "reset",
          bytesLeft: true,
          status: null,
          why,
        };
      }
    },
    ...options,
  };
}

async function read(response: Response, latencyMs: number): Promise<SendOutcome> {
  const { status } = response;
  const base = { bytesLeft: true, status, responseBody: await response.text(), latencyMs };
  if (response.ok) return { ...base, kind: "accepted", why: `It answered ${status}.` };
  if (status === 422) return { ...base, kind: "rejected", code: "status", why: `It answered ${status}.` };
  if (status === 502) return { ...base, kind: "unknown", code: "status", why: `It answered ${status}.` };
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    ...base,
    kind: "retry",
    blame: [401, 403, 404, 410].includes(status) ? "destination" : "message",
    disables: status === 410,
    code: "status",
    after: Number.isNaN(after) ? null : after,
    why: `It answered ${status}.`,
  };
}

export const WORKER = "00000000-0000-4000-8000-000000000001";

export function dispatching(sql: Sql, channels: Channel[] = [plainChannel()]): Dispatching {
  return {
    sql,
    clock: { offsetSeconds: 0 },
    workerId: uuidv7(),
    channels,
    outbound: null as never,
    env: { SMTP_URL: undefined, EMAIL_FROM: undefined, PUBLIC_URL: "http://localhost" },
    keys: [],
  };
}

type Target = { id?: string; url: string; policy?: Policy; concurrency?: number; owner?: string };

export async function addDestination(sql: Sql, target: Target): Promise<string> {
  const {
    id = `d-${uuidv7()}`,
    url,
    policy = "duplicate-ok",
    concurrency = 8,
    owner = "owner@acme.example",
  } = target;
  await sql`insert into destinations (id, channel, topics, url, policy, concurrency, owner)
    values (${id}, 'webhook', '{}', ${url}, ${policy}, ${concurrency}, ${owner})`;
  return id;
}

/** Intents as an effect would have left them; their ids in order. */
export async function addMessages(
  sql: Sql,
  destination: string,
  count = 1,
  text = "hello",
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await sql`
    insert into outbox_messages (id, operation_key, source_id, account, subject, operation, topic, channel, destination,
      destination_id, content, next_attempt_at, deadline_at)
    select id, json_build_array('stripe', 'acct_acme', id, 'test', 'notice', ${destination}::text)::text, 'stripe', 'acct_acme', id,
      'test', 'alert.opened', 'webhook', ${destination}, ${destination}, ${sql.json({ text })}, now(), now() + interval '72 hours'
    from unnest(${ids}::uuid[]) as id`;
  return ids;
}

export type Seen = { status: string; attempts: number; crashes: number; lastError: string | null };

export async function stateOf(sql: Sql, id: string): Promise<Seen & { history: string[] }> {
  const [row] = await sql<Seen[]>`
    select status, attempts, crashes, last_error as "lastError" from outbox_messages where id = ${id}`;
  const history = await sql<{ what: string }[]>`
    select kind || ' ' || result as what from outbox_attempts where message_id = ${id} order by id`;
  return { ...row!, history: history.map(({ what }) => what) };
}
