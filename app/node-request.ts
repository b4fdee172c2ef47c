import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReceiveRequest, ReceiveResponse } from "#lib/receive/types.ts";

export type Receive = (request: ReceiveRequest) => Promise<ReceiveResponse>;

/**
 * After a refusal a sender may still be sending, and would see a broken connection instead of the answer. So the rest
 * is read and forgotten, as far as the largest body that any source can allow (CONTRACT §2), and no further.
 */
const DRAIN_BYTES = 26_214_400;
const DRAIN_MS = 5_000;

/** What befell the connection while a body was being read; `tell` reaches the one who waits for more of it. */
type Fault = { error: Error | null; tell: ((error: Error) => void) | null };

/** Requests whose body is being read, so that a fault of the connection reaches the one who reads. */
const reading = new WeakMap<Socket, Fault>();
/** Requests with `Expect: 100-continue` that have not been told to go on. */
const expecting = new WeakSet<IncomingMessage>();

/** The {source} of a webhook URL, decoded, with or without a trailing slash; null for any other URL. */
export function matchWebhook(url: string | undefined): string | null {
  const match = /^\/api\/webhooks\/([^/?#]+)\/?(?:[?#]|$)/.exec(url ?? "");
  if (!match) return null;
  try {
    return decodeURIComponent(match[1]!);
  } catch {
    return match[1]!; // No source is called that, so it becomes a 404.
  }
}

/** Whether percent-encoding in a path makes sense; Next answers 500 where it does not. */
export function isDecodable(url: string | undefined): boolean {
  try {
    decodeURIComponent((url ?? "").split("?", 1)[0]!);
    return true;
  } catch {
    return false;
  }
}

/** Such a sender is told to go on when its body is first wanted: an unknown source or a wrong method never asks. */
export function markExpecting(request: IncomingMessage): void {
  expecting.add(request);
}

/** Answers one request at the receiver. */
export async function serveWebhook(
  receive: Receive,
  source: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault: Fault = { error: null, tell: null };
  reading.set(request.socket, fault);
  const answer = await receive(toReceiveRequest(source, request, response, fault));
  const unread = !request.complete && !fault.error;
  const headers = { ...answer.headers, "content-length": String(Buffer.byteLength(answer.body)) };
  if (unread || fault.error) response.shouldKeepAlive = false;
  response.writeHead(answer.status, headers);
  if (unread && !expecting.has(request) && request.method !== "HEAD") {
    response.write(answer.body);
    await drain(request);
    response.end();
  } else {
    response.end(answer.body);
  }
}

/**
 * For the server's clientError event. True when the fault belongs to a body that the receiver is reading: it then
 * answers, for example 400 for a body that ended early.
 */
export function failReading(socket: Socket, error: Error): boolean {
  const fault = reading.get(socket);
  if (!fault || !socket.writable) return false;
  reading.delete(socket);
  fault.error = error;
  fault.tell?.(error);
  return true;
}

function toReceiveRequest(
  source: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault,
): ReceiveRequest {
  const { headers, url = "" } = request;
  const mark = url.indexOf("?");
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return {
    method: request.method ?? "",
    source,
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(", ") : (value ?? null);
    },
    allHeaders: () =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")])),
    query: mark < 0 ? "" : url.slice(mark + 1),
    body: hasBody ? readBody(request, response, fault) : null,
    remoteAddress: request.socket.remoteAddress ?? null,
  };
}

/** The body chunk by chunk. Who stops reading early leaves the connection open: the answer must still go out. */
async function* readBody(
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault,
): AsyncGenerator<Uint8Array> {
  if (expecting.delete(request)) response.writeContinue();
  let chunks: ReturnType<IncomingMessage["iterator"]> | undefined;
  try {
    // Most webhooks came whole with their head: the machinery of a stream would cost more than reading them.
    const first = request.read() as Buffer | null;
    if (first !== null) yield first;
    if (first !== null && request.complete && request.readableLength === 0) return;
    if (fault.error) throw fault.error;
    const failing = Promise.withResolvers<never>();
    failing.promise.catch(() => {});
    fault.tell = failing.reject;
    chunks = request.iterator({ destroyOnReturn: false });
    for (;;) {
      const next = await Promise.race([chunks.next(), failing.promise]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    reading.delete(request.socket);
    // Not awaited: after a fault a read may be pending for ever.
    chunks?.return?.()?.catch(() => {});
  }
}

async function drain(request: IncomingMessage): Promise<void> {
  const done = Promise.withResolvers<void>();
  let left = DRAIN_BYTES;
  request.on("data", (chunk: Uint8Array) => {
    left -= chunk.length;
    if (left < 0) done.resolve();
  });
  request.once("end", done.resolve);
  request.once("close", done.resolve);
  request.resume();
  const over = new AbortController();
  await Promise.race([done.promise, sleep(DRAIN_MS, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}
