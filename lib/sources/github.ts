import { createHash, createHmac } from "node:crypto";
import { idText, isCleanId, type JsonValue, member } from "#lib/json.ts";
import { digestJson } from "./canonical-json.ts";
import { readFormField, readMediaType } from "./form-body.ts";
import { fitsEvent, thingOf } from "./github-events.ts";
import { checkTextSecret, matchSecret } from "./match-secret.ts";
import type {
  HeaderReader,
  Identification,
  IdentifyInput,
  SignInput,
  SourceAdapter,
  Verification,
  VerifyInput,
} from "./types.ts";

/** GitHub signs the body alone: neither the delivery id nor the event name, and no time. */
export const github: SourceAdapter = {
  kind: "github",
  idIsUnsigned: true,
  checkSecret: checkTextSecret,
  verify,
  unwrap,
  identify,
  sign,
};

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/**
 * HMAC-SHA256 over the bytes. @octokit/webhooks-methods takes a string only, so a byte order mark or invalid UTF-8
 * would not survive the way into it (CASES V02); a test holds this against it on everything that it can take.
 */
function computeMac(secret: string, body: Buffer): Buffer {
  return createHmac("sha256", secret).update(body).digest();
}

function verify({ body, header, secrets }: VerifyInput): Verification {
  const text = header("x-hub-signature-256");
  if (!text) return { ok: false, reason: "signature_missing" };
  const hex = SIGNATURE.exec(text)?.[1];
  if (!hex) return { ok: false, reason: "signature_malformed" };
  const secret = matchSecret(secrets, [Buffer.from(hex, "hex")], ({ text }) =>
    text === "" ? null : computeMac(text, body),
  );
  return secret ? { ok: true, secret } : { ok: false, reason: "signature_mismatch" };
}

/** A hook's "content type" may be form: the JSON is then its field `payload`. Without any type it is JSON. */
function unwrap({ body, header }: { body: Buffer; header: HeaderReader }) {
  if (readMediaType(header("content-type")) !== "application/x-www-form-urlencoded") {
    return { ok: true as const, json: body };
  }
  const field = readFormField(body, "payload");
  return field.ok ? { ok: true as const, json: field.value } : field;
}

/** A header sent twice arrives joined with ", ", which neither lets through. */
const DELIVERY = /^[!-+\--~]{1,255}$/;
const EVENT = /^[a-z][a-z0-9_]{0,63}$/;

function identify({ payload, header }: IdentifyInput): Identification {
  const eventId = header("x-github-delivery");
  const event = header("x-github-event");
  if (!eventId || !DELIVERY.test(eventId)) return { ok: false, why: "X-GitHub-Delivery is no usable id" };
  if (!event || !EVENT.test(event)) return { ok: false, why: "X-GitHub-Event is no usable type" };
  if (!fitsEvent(event, payload)) return { ok: false, why: `the body does not fit the event ${event}` };
  const action = member(payload, "action") ?? null;
  if (action !== null && !(typeof action === "string" && isCleanId(action))) {
    return { ok: false, why: "the action is not usable" };
  }
  const account = accountOf(payload);
  if (account === undefined) return { ok: false, why: "the account id is not a number" };
  const type = action === null ? event : `${event}.${action}`;
  return {
    ok: true,
    identity: {
      eventId,
      type,
      account,
      mode: "live",
      subject: subjectOf(event, payload),
      apiVersion: null,
      content: [type, digestJson(payload)],
    },
  };
}

/** The first that is there decides; undefined when it is not a number. Digits stay as sent, beyond 2^53 too. */
function accountOf(payload: JsonValue): string | null | undefined {
  const candidates = [
    member(member(payload, "organization"), "id"),
    member(member(member(payload, "repository"), "owner"), "id"),
    member(member(payload, "installation"), "id"),
  ];
  const id = candidates.find((candidate) => candidate !== undefined && candidate !== null);
  if (id === undefined) return null;
  const text = typeof id === "string" ? null : idText(id);
  return text && /^[1-9][0-9]*$/.test(text) ? text : undefined;
}

/** What a person would search for: `owner/name#12`, `owner/name@refs/heads/main`, `owner/name/release/77`, `owner`. */
function subjectOf(event: string, payload: JsonValue): string | null {
  const place =
    textOf(member(member(payload, "repository"), "full_name")) ??
    textOf(member(member(payload, "organization"), "login"));
  const subject = `${place ?? ""}${detailOf(event, payload)}`;
  return isCleanId(subject) ? subject : place;
}

function detailOf(event: string, payload: JsonValue): string {
  for (const key of ["issue", "pull_request", "discussion"]) {
    const number = idText(member(member(payload, key), "number"));
    if (number) return `#${number}`;
  }
  const ref = member(payload, "ref");
  if (typeof ref === "string") return `@${ref}`;
  const thing = thingOf(event);
  if (!thing) return "";
  const id = idText(member(member(payload, thing), "id")) ?? idText(member(member(payload, thing), "number"));
  return id ? `/${thing}/${id}` : "";
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === "string" && isCleanId(value) ? value : null;
}

/** Delivery id derived from the body unless given; `type` is `issues` or `issues.opened`. */
function sign({ body, secret, id, type }: SignInput): Record<string, string> {
  const digest = createHash("sha256").update(body).digest("hex");
  return {
    "x-hub-signature-256": `sha256=${computeMac(secret.text, body).toString("hex")}`,
    "x-github-delivery": id ?? digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5"),
    ...(type && { "x-github-event": type.split(".")[0]! }),
  };
}
