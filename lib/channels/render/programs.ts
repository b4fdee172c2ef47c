import { stringify } from "lossless-json";
import type { Notice } from "../notice.ts";
import type { Rendering } from "../types.ts";

/** Bytes. Receivers expect slim bodies; what is larger is a mistake of ours. */
const MOST = 65_536;

/**
 * The body that programs get, as Standard Webhooks describes it: `{"type","timestamp","data"}`. Slim: ids, amounts and a
 * link, nothing that people wrote. Amounts are exact integers whatever their size.
 */
export function writeForPrograms(notice: Notice): Rendering {
  const body = stringify({
    type: notice.topic,
    timestamp: notice.at,
    data: { ...slim(notice), link: notice.link },
  });
  if (body === undefined) return { ok: false, why: "the notice cannot be written as JSON" };
  if (Buffer.byteLength(body) > MOST) return { ok: false, why: `the body is larger than ${MOST} bytes` };
  return { ok: true, content: { body: body.toWellFormed() } };
}

function slim(notice: Notice): object {
  if (notice.topic !== "feedback.alert") return notice.data;
  const { text: _text, ...rest } = notice.data;
  return rest;
}
