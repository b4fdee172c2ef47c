import { acceptedTokens, describeRequest } from "#app/guard.ts";
import { actorOf, judgePlace, TOKEN_COOKIE } from "#lib/access/guard.ts";
import { renderEnterPage } from "./page-html.ts";

export const dynamic = "force-dynamic";

const THIRTY_DAYS = 30 * 86_400;
const MAX_FORM_BYTES = 4_096;

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  // The address of this page may hold the token.
  "referrer-policy": "no-referrer",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
};

/** With the printed link: in. Without: the form. */
export async function GET(request: Request): Promise<Response> {
  return enter(request, new URL(request.url).searchParams.get("token"));
}

export async function POST(request: Request): Promise<Response> {
  const size = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!(size <= MAX_FORM_BYTES)) return page(413, "That is too long for a token.");
  const form = new URLSearchParams(await request.text());
  return enter(request, form.get("token") ?? "");
}

function enter(request: Request, token: string | null): Response {
  const place = judgePlace(describeRequest(request.method, request.headers, undefined));
  if (place && !place.ok) return page(place.status, place.message, false);
  if (token === null) return page(200, null);
  const text = token.trim();
  if (!actorOf(text, acceptedTokens())) return page(401, "This token is not the one of this installation.");
  // No Secure: the console answers on plain loopback only. Lax, so that links from elsewhere still open it.
  const cookie = `${TOKEN_COOKIE}=${encodeURIComponent(text)}; Path=/; Max-Age=${THIRTY_DAYS}; HttpOnly; SameSite=Lax`;
  const { "content-type": _, ...headers } = PAGE_HEADERS;
  return new Response(null, { status: 303, headers: { ...headers, location: "/", "set-cookie": cookie } });
}

function page(status: number, problem: string | null, form = true): Response {
  return new Response(renderEnterPage(problem, form), { status, headers: PAGE_HEADERS });
}
