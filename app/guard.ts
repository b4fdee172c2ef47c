import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { type Asked, describeLack, may } from "#lib/access/actions.ts";
import type { Actor } from "#lib/access/actor.ts";
import {
  type GuardedRequest,
  type GuardResult,
  judgeAccess,
  TOKEN_COOKIE,
  type Tokens,
} from "#lib/access/guard.ts";
import { env } from "#lib/env.ts";
import { isMarkedDirect } from "./mark-request.ts";

/** What this process accepts. The console token is made at start and handed to the web process alone. */
export function acceptedTokens(): Tokens {
  return { console: process.env.CONSOLE_TOKEN?.trim() || null, admin: env().ADMIN_TOKEN ?? null };
}

/** Judges a request as Next hands it over; `cookie` is the value of TOKEN_COOKIE. */
export function judgeHeaders(method: string, list: Headers, cookie: string | undefined): GuardResult {
  return judgeAccess(describeRequest(method, list, cookie), acceptedTokens(), publicOrigin());
}

export function describeRequest(method: string, list: Headers, cookie: string | undefined): GuardedRequest {
  return {
    method,
    host: list.get("host"),
    direct: isMarkedDirect(list),
    authorization: list.get("authorization"),
    cookie: cookie ?? null,
    origin: list.get("origin"),
  };
}

/**
 * For every page of the console, first thing: who is looking. Sends everybody else to /enter, which says what is
 * missing. Each page calls it for itself; a layout is not rendered anew for each of its pages.
 */
export async function requirePage(asked: Asked = "inbox.read"): Promise<Actor> {
  const result = await judgeCurrent("GET");
  if (!result.ok) redirect("/enter");
  // Nothing is told of a page to somebody who may not see it, not even that it is there.
  if (!may(result.actor, asked)) notFound();
  return result.actor;
}

/** For every server action, first thing. Throws where the caller may not: nothing of ours sends such a request. */
export async function requireAction(asked: Asked): Promise<Actor> {
  const result = await judgeCurrent("POST");
  if (!result.ok) throw new Error(result.message);
  if (!may(result.actor, asked)) throw new Error(describeLack(result.actor, asked));
  return result.actor;
}

async function judgeCurrent(method: string): Promise<GuardResult> {
  const [list, jar] = await Promise.all([headers(), cookies()]);
  return judgeHeaders(method, list, jar.get(TOKEN_COOKIE)?.value);
}

const publicOrigin = () => new URL(env().PUBLIC_URL).origin;
