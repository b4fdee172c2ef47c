import { type JsonValue, parseJson } from "#lib/json.ts";
import { failureOf, SenderFailure } from "./failure.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { ClientOptions } from "./types.ts";

/** Milliseconds for one call, with its body. */
export const CALL_TIMEOUT = 20_000;
/** A page of a list; more is no page. */
const MOST_BYTES = 32 * 2 ** 20;

export type Called = { json: JsonValue; header(name: string): string | null };

export type CallOptions = Pick<ClientOptions, "credentials" | "allow"> & {
  method?: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  signal: AbortSignal;
};

/**
 * Calls a sender's API with the key as a bearer token. Big numbers of the answer stay exact. Throws SenderFailure for
 * everything but 2xx, and for an answer that was cut; never follows a redirect, which would carry the key elsewhere.
 */
export async function callSender(options: CallOptions): Promise<Called> {
  const { url, credentials, signal, headers = {}, method = "GET" } = options;
  const fetch = createGuardedFetch(options.allow);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT)]);
  let response: Response;
  let body: Buffer;
  try {
    response = await fetch(url, {
      method,
      signal: deadline,
      headers: {
        accept: "application/json",
        "user-agent": "Counterfoil",
        authorization: `Bearer ${credentials.apiKey}`,
        ...headers,
      },
    });
    body = await readAtMost(response, MOST_BYTES);
  } catch (error) {
    if (error instanceof SenderFailure) throw error;
    signal.throwIfAborted();
    throw new SenderFailure(`the sender did not answer (${reasonOf(error)})`, false);
  }
  if (!response.ok) throw failureOf(response.status, response.headers.get("retry-after"), Date.now());
  const parsed = body.length === 0 ? { ok: true as const, value: null } : parseJson(body);
  if (!parsed.ok) throw new SenderFailure(`the sender's answer cannot be read: ${parsed.why}`, false);
  return { json: parsed.value, header: (name) => response.headers.get(name) };
}

async function readAtMost(response: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) throw new SenderFailure("the sender's answer is too large", true);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The system's code or the error's name: never the message, which may hold the URL. */
export function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return error instanceof Error ? error.name : "unknown";
}
