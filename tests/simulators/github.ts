import { randomUUID } from "node:crypto";
import { sign } from "@octokit/webhooks-methods";
import { type ApiAnswer, type ApiCall, type SimulatorOptions, startApiServer } from "./api-server.ts";
import { type Attempt, createDeliveries } from "./deliveries.ts";
import { createFaults } from "./faults.ts";

export type GithubOptions = SimulatorOptions & { apiKey: string; secret: string };

type Listed = {
  id: number;
  guid: string;
  event: string;
  action: string | null;
  attempt: Attempt;
  again: boolean;
};

export type GithubSimulator = Awaited<ReturnType<typeof startGithub>>;

/** Where the hook's API is: what a source's credentials name as base URL. */
const HOOK = "/repos/acme/shop/hooks/1";

/**
 * A sender as GitHub is: one attempt per event and no retry by itself; every attempt is listed under a number of its own,
 * attempts of one event share a GUID; redelivery sends the same body under the same GUID.
 */
export async function startGithub(options: GithubOptions) {
  const { clock, secret } = options;
  const faults = createFaults();
  const state = { target: options.target };
  let listed: Listed[] = [];
  let next = 1;
  const bodies = new Map<string, { event: string; action: string | null; body: Buffer }>();
  const deliveries = createDeliveries({
    clock,
    faults,
    target: () => state.target,
    schedule: [],
    window: 0,
    userAgent: "GitHub-Hookshot/044aadd",
  });

  async function attempt(guid: string, again: boolean): Promise<void> {
    const { event, action, body } = bodies.get(guid)!;
    const mac = await sign(secret, body.toString());
    const { attempts } = await deliveries.send({
      id: randomUUID(),
      eventId: guid,
      type: event,
      body,
      sign: () => ({
        "x-hub-signature-256": mac,
        "x-github-delivery": guid,
        "x-github-event": event,
        "x-github-hook-id": "1",
      }),
    });
    for (const each of attempts.slice(0, 1)) {
      listed.push({ id: next++, guid, event, action, attempt: each, again });
    }
  }

  /** Sends an event. Its GUID. */
  async function emit(event: string, payload: Record<string, unknown>): Promise<string> {
    const guid = randomUUID();
    const action = typeof payload.action === "string" ? payload.action : null;
    bodies.set(guid, { event, action, body: Buffer.from(JSON.stringify(payload)) });
    await attempt(guid, false);
    return guid;
  }

  async function answer(call: ApiCall): Promise<ApiAnswer | null> {
    if (call.header("authorization") !== `Bearer ${options.apiKey}`)
      return { status: 401, body: toError(401) };
    if (call.path === `${HOOK}/deliveries`) return list(call);
    const [, id, again] = new RegExp(`^${HOOK}/deliveries/(\\d+)(/attempts)?$`).exec(call.path) ?? [];
    const found = listed.find((each) => String(each.id) === id);
    if (!found) return null;
    if (again && call.method === "POST") {
      await attempt(found.guid, true);
      return { status: 202, body: {} };
    }
    return {
      status: 200,
      body: { ...toAnswer(found), request: { payload: JSON.parse(bodies.get(found.guid)!.body.toString()) } },
    };
  }

  /** Newest first; the way to the next page is in the Link header, as GitHub has it. */
  function list({ query, path }: ApiCall): ApiAnswer {
    const oldest = clock.now() - 3 * 24 * 3_600_000;
    listed = listed.filter(({ attempt: { at } }) => at >= oldest);
    const newest = [...listed].reverse();
    const cursor = query.get("cursor");
    const start = cursor ? newest.findIndex(({ id }) => `v1_${id}` === cursor) + 1 : 0;
    const limit = Number(query.get("per_page") ?? 30);
    const page = newest.slice(start, start + limit);
    const more = start + limit < newest.length;
    const url = `${server.url}${path}?per_page=${limit}&cursor=v1_${page.at(-1)?.id}`;
    return { status: 200, body: page.map(toAnswer), headers: more ? { link: `<${url}>; rel="next"` } : {} };
  }

  const server = await startApiServer({ clock, faults, answer, toError, port: options.port });
  return { ...server, faults, clock, state, deliveries, emit, hookUrl: `${server.url}${HOOK}` };
}

const toAnswer = ({ id, guid, event, action, attempt, again }: Listed) => ({
  id,
  guid,
  delivered_at: new Date(attempt.at).toISOString(),
  redelivery: again,
  status: attempt.status !== null && attempt.status < 300 ? "OK" : "failed",
  status_code: attempt.status ?? 0,
  event,
  action,
});

const toError = (status: number) => ({ message: `simulated ${status}`, status: String(status) });
