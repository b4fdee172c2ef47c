import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Next adds X-Forwarded-* to the headers that pages and route handlers see, sent or not, so what the client really
 * sent must be looked at before Next is asked. The mark is a random value of this process, which no client can know;
 * it lives on globalThis because Next bundles a copy of this module of its own.
 */
const holder = globalThis as typeof globalThis & { counterfoilDirectMark?: string };

export const DIRECT_HEADER = "x-counterfoil-direct";

/** What proxies and tunnels add. */
const FORWARDED = /^(forwarded|x-forwarded-.*|via|x-real-ip|cf-connecting-ip)$/;

/** Marks a request that reached our server directly. Call it before Next's handler, for every request. */
export function markRequest(request: IncomingMessage): void {
  holder.counterfoilDirectMark ??= randomBytes(24).toString("base64url");
  delete request.headers[DIRECT_HEADER];
  if (isDirect(request.rawHeaders)) request.headers[DIRECT_HEADER] = holder.counterfoilDirectMark;
}

/** `rawHeaders` are names and values in turn, as Node gives them. Two Host headers are a proxy's confusion, or a trick. */
export function isDirect(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return !names.some((name) => FORWARDED.test(name)) && names.filter((name) => name === "host").length === 1;
}

/** Whether a request's headers carry this process's mark. False where no server of ours marks them. */
export function isMarkedDirect(headers: Headers): boolean {
  const mark = holder.counterfoilDirectMark;
  return mark !== undefined && headers.get(DIRECT_HEADER) === mark;
}
