import { receiver } from "#app/receiver.ts";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

/** The receiver behind `next dev` and `next start`; in production server.ts answers before Next is asked. */
async function handle(request: Request, context: { params: Promise<{ source: string }> }): Promise<Response> {
  const { source } = await context.params;
  const answer = await receiver()({
    method: request.method,
    source,
    query: new URL(request.url).search.slice(1),
    header: (name) => request.headers.get(name),
    allHeaders: () => Object.fromEntries(request.headers),
    body: request.body as AsyncIterable<Uint8Array> | null,
    remoteAddress: null,
  });
  return new Response(request.method === "HEAD" ? null : answer.body, {
    status: answer.status,
    headers: answer.headers,
  });
}

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
