import { Agent } from "undici";
import { admitHost, resolveWithSystem } from "./admit.ts";
import type { Allowances } from "./allowances.ts";
import { checkUrl } from "./check-url.ts";
import { createConnector } from "./connector.ts";
import { exchange } from "./exchange.ts";
import type { Outbound, Resolver } from "./types.ts";

/** The way out of one process. Addresses are checked for each connection; a connection may serve several calls. */
export function createOutbound(options: { allow: Allowances; resolve?: Resolver }): Outbound {
  const { allow, resolve = resolveWithSystem } = options;
  const limits = {
    connect: createConnector({ allow, resolve }),
    allowH2: false,
    // The call's own signal is the one deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
    keepAliveTimeout: 4_000,
  };
  const reusing = new Agent({ ...limits, pipelining: 1 });
  const single = new Agent({ ...limits, pipelining: 0 });
  return {
    allow,
    async post(request) {
      const check = checkUrl(request.url, ["https:", "http:"], allow);
      if (!check.ok) return { kind: "not_sent", code: "bad_url", why: check.why, latencyMs: 0 };
      return exchange(request.reuseConnection === false ? single : reusing, check.url, request);
    },
    admit: (host, onlyAllowed = false) => admitHost(host, { allow, resolve, onlyAllowed }),
    async close() {
      await Promise.all([reusing.destroy(), single.destroy()]);
    },
  };
}
