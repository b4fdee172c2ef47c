import { type Actor, SCOPES } from "./actor.ts";
import { areTokensEqual } from "./compare-tokens.ts";
import { isLoopbackHost } from "./loopback.ts";

/** What the guard looks at; header values as sent, null when absent. */
export type GuardedRequest = {
  /** Upper case. */
  method: string;
  host: string | null;
  /** The request came to our server with no Forwarded or X-Forwarded-* header (app/mark-request.ts). */
  direct: boolean;
  authorization: string | null;
  /** Value of the cookie TOKEN_COOKIE. */
  cookie: string | null;
  origin: string | null;
};

export type Tokens = {
  /** Printed at start. */
  console: string | null;
  /** ADMIN_TOKEN. */
  admin: string | null;
};

export type GuardResult =
  | { ok: true; actor: Actor; by: "bearer" | "cookie" }
  | { ok: false; status: 401 | 403; code: string; message: string };

export const TOKEN_COOKIE = "counterfoil_token";

const READING = ["GET", "HEAD", "OPTIONS"];

/**
 * Decides whether console or API may answer a request (CONTRACT §10): until people can sign in, only with a token,
 * only under a loopback Host, and never through a tunnel or proxy, which come from loopback as well. A change that is
 * authorised by the cookie alone must come from our own pages. Pure.
 */
export function judgeAccess(request: GuardedRequest, tokens: Tokens, publicOrigin: string): GuardResult {
  const place = judgePlace(request);
  if (place) return place;
  const bearer = /^Bearer +(\S+) *$/i.exec(request.authorization ?? "")?.[1];
  if (request.authorization !== null) {
    const actor = bearer ? actorOf(bearer, tokens) : null;
    return actor ? { ok: true, actor, by: "bearer" } : refuse(401, "unauthorized", "The token is not valid.");
  }
  const actor = request.cookie ? actorOf(request.cookie, tokens) : null;
  if (!actor)
    return refuse(401, "unauthorized", "A token is needed: as Authorization: Bearer, or through /enter.");
  if (!READING.includes(request.method) && !isOwnOrigin(request, publicOrigin)) {
    return refuse(
      403,
      "foreign_origin",
      "A change with the console's cookie must come from the console itself.",
    );
  }
  return { ok: true, actor, by: "cookie" };
}

/** Null when the request came straight from this machine. */
export function judgePlace({ host, direct }: Pick<GuardedRequest, "host" | "direct">): GuardResult | null {
  if (host === null || !isLoopbackHost(host)) {
    return refuse(403, "not_loopback", "Console and API answer on localhost only, until sign-in is set up.");
  }
  if (!direct) {
    return refuse(
      403,
      "forwarded",
      "Console and API answer only what reaches the server of npm start directly, nothing that a proxy or tunnel forwarded.",
    );
  }
  return null;
}

/** Whose token this is; null for nobody's. */
export function actorOf(token: string, tokens: Tokens): Actor | null {
  // Both are compared whatever the first says, so that the time tells nothing.
  const isConsole = tokens.console !== null && areTokensEqual(token, tokens.console);
  const isAdmin = tokens.admin !== null && areTokensEqual(token, tokens.admin);
  if (isConsole) return { name: "console", scopes: SCOPES };
  return isAdmin ? { name: "admin-token", scopes: SCOPES } : null;
}

/** A page of ours: under the canonical origin, or under the loopback name that this very request was sent to. */
function isOwnOrigin({ origin, host }: GuardedRequest, publicOrigin: string): boolean {
  return origin !== null && (origin === publicOrigin || origin === `http://${host?.toLowerCase()}`);
}

function refuse(status: 401 | 403, code: string, message: string): GuardResult {
  return { ok: false, status, code, message };
}
