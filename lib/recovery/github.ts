import { z } from "zod";
import { idText, type JsonValue, member } from "#lib/json.ts";
import { callSender } from "./call.ts";
import { SenderFailure } from "./failure.ts";
import type { ClientOptions, Recovery, SenderClient, SenderObject, Window } from "./types.ts";

const DAY = 86_400_000;
const PAGE = 100;

/** GitHub redelivers what is at most three days old; what it lists beyond that cannot be had any more. */
const LISTINGS = [{ name: "deliveries", reach: 3 * DAY }] as const;

const delivery = z.object({
  guid: z.string().min(1).max(255),
  delivered_at: z.iso.datetime({ offset: true }),
});

/**
 * GitHub's hook deliveries. It does not retry by itself: attempts are grouped by GUID, and a GUID that never got in is
 * asked for again. The base URL is the hook's: https://api.github.com/repos/OWNER/NAME/hooks/ID, or an organisation's.
 */
export const github: Recovery = {
  kind: "github",
  lists: "deliveries",
  canRedeliver: true,
  perAccount: false,
  checkBaseUrl: (baseUrl) =>
    baseUrl && /\/hooks?\/[^/]+$/.test(new URL(baseUrl).pathname)
      ? null
      : "name the hook's API: https://api.github.com/repos/OWNER/NAME/hooks/ID",
  modeOf: () => null,
  open: openGithub,
};

const HEADERS = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };

function openGithub(options: ClientOptions): SenderClient {
  const base = options.credentials.baseUrl!;

  async function list(window: Window, cursor: string | null, signal: AbortSignal) {
    const search = new URLSearchParams({ per_page: String(PAGE), ...(cursor && { cursor }) });
    const called = await callSender({
      ...options,
      url: `${base}/deliveries?${search}`,
      headers: HEADERS,
      signal,
    });
    if (!Array.isArray(called.json)) throw new SenderFailure("the sender's list is no list", true);
    const all = called.json.map(toObject);
    // Newest first: a page that ends before the window is the last one that matters.
    const isOver = all.some(({ at }) => at < window.from);
    const objects = all.filter(({ at }) => at >= window.from && at < window.to);
    return { objects: firstOfEach(objects), next: isOver ? null : nextCursor(called.header("link")) };
  }

  return {
    listings: LISTINGS,
    list: (_listing, _account, window, cursor, signal) => list(window, cursor, signal),
    // Deliveries have no books to look anything up in.
    find: async () => new Map(),
    async redeliver(deliveryId, signal) {
      const url = `${base}/deliveries/${encodeURIComponent(deliveryId)}/attempts`;
      await callSender({ ...options, method: "POST", url, headers: HEADERS, signal });
    },
  };
}

function toObject(item: JsonValue): SenderObject {
  const parsed = delivery.safeParse(item);
  const id = idText(member(item, "id"));
  if (!parsed.success || !id) throw new SenderFailure("a delivery of the list has no id, GUID or time", true);
  return {
    account: null,
    mode: "live",
    subject: parsed.data.guid,
    at: Date.parse(parsed.data.delivered_at),
    paid: true,
    receipt: null,
    deliveryId: id,
  };
}

function firstOfEach(objects: SenderObject[]): SenderObject[] {
  return [...new Map(objects.map((object) => [object.subject, object])).values()];
}

/** From `<https://…?cursor=v1_9&per_page=100>; rel="next"`. */
function nextCursor(link: string | null): string | null {
  const url = /<([^>]+)>;\s*rel="next"/.exec(link ?? "")?.[1];
  return url ? (URL.parse(url)?.searchParams.get("cursor") ?? null) : null;
}
