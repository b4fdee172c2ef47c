import { Agent, fetch } from "undici";
import { resolveWithSystem } from "#lib/outbound/admit.ts";
import type { Allowances } from "#lib/outbound/allowances.ts";
import { checkUrl } from "#lib/outbound/check-url.ts";
import { createConnector, NotAdmitted } from "#lib/outbound/connector.ts";
import { SenderFailure } from "./failure.ts";

/** One pool of connections per set of allowances; idle ones end within seconds. */
const agents = new WeakMap<Allowances, Agent>();

function agentOf(allow: Allowances): Agent {
  let agent = agents.get(allow);
  if (!agent) {
    const connect = createConnector({ allow, resolve: resolveWithSystem });
    agent = new Agent({ connect, allowH2: false, keepAliveTimeout: 4_000 });
    agents.set(allow, agent);
  }
  return agent;
}

/**
 * fetch that goes where outgoing calls may go: every address is checked as it is connected to, plain http and private
 * addresses only where OUTBOUND_ALLOW names them, and no redirect is followed, which would carry the key elsewhere.
 * An address that is not allowed throws a permanent SenderFailure.
 */
export function createGuardedFetch(allow: Allowances): typeof globalThis.fetch {
  return (async (input: string | URL, init: RequestInit = {}) => {
    const check = checkUrl(String(input), ["https:", "http:"], allow);
    if (!check.ok) throw new SenderFailure(`the sender may not be called: ${check.why}`, true);
    try {
      return await fetch(check.url, {
        ...(init as object),
        redirect: "manual",
        dispatcher: agentOf(allow),
      });
    } catch (error) {
      const refusal = findRefusal(error);
      if (!refusal) throw error;
      throw new SenderFailure(`the sender may not be called: ${refusal.message}`, refusal.code !== "dns");
    }
  }) as unknown as typeof globalThis.fetch;
}

function findRefusal(error: unknown): NotAdmitted | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof NotAdmitted) return at;
  return null;
}
