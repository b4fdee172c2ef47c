import { type JsonValue, parseJson } from "#lib/json.ts";
import { parseContentLength, readBody } from "#lib/receive/read-body.ts";
import { answerProblem } from "./answers.ts";

/** Bytes; ten thousand acknowledged uuids are 400 kB. */
const MAX_BODY = 1_048_576;

/** The JSON of a request, or the answer that says why it has none. */
export async function readJson(request: Request): Promise<{ value: JsonValue } | Response> {
  const type = request.headers.get("content-type") ?? "";
  // A bare POST asks for the action with nothing to say about it; where a reason is needed the schema says so.
  if (request.body === null && type === "") return { value: {} };
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return answerProblem(415, "unsupported_type", "The body must be application/json.");
  }
  const length = parseContentLength(request.headers.get("content-length"));
  const read = await readBody(request.body as AsyncIterable<Uint8Array> | null, MAX_BODY, length);
  if (!read.ok) {
    return read.reason === "body_too_large"
      ? answerProblem(413, "body_too_large", `The body is larger than ${MAX_BODY} bytes.`)
      : answerProblem(400, "body_truncated", "The body ended before its announced length.");
  }
  const parsed = parseJson(read.body);
  return parsed.ok
    ? { value: parsed.value }
    : answerProblem(400, "invalid_json", `Not usable: ${parsed.why}.`);
}
