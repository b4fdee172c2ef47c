import { createHash } from "node:crypto";
import type { Mode } from "#db/states.ts";
import { idText, isCleanId, type JsonValue } from "#lib/json.ts";
import { canonicalJson, digestJson } from "./canonical-json.ts";
import type { CompiledContract, CompiledEvent, Paths } from "./contract-compile.ts";
import { readJsonPath } from "./json-path.ts";
import type { HeaderReader, Identification, IdentifyInput, Identity } from "./types.ts";

/** The first alternative that leads to a value; null counts as none. */
function readFirst(payload: JsonValue, paths: Paths): JsonValue | null {
  for (const path of paths) {
    const value = readJsonPath(payload, path);
    if (value !== undefined && value !== null) return value;
  }
  return null;
}

const refuse = (why: string): Identification => ({ ok: false, why });

/** What an authentic body says it is, by its contract; else one sentence why it cannot be used. Never throws. */
export function identifyByContract(
  contract: CompiledContract,
  { payload, header }: IdentifyInput,
): Identification {
  const { event } = contract;
  if (!event) return refuse("the contract does not say how events are identified");
  const eventId =
    "header" in event.id ? cleanHeader(header, event.id.header) : idText(readFirst(payload, event.idPaths));
  if (!eventId) return refuse("the event has no usable id");
  const type = readType(event, payload, header);
  if (!type) return refuse("the event has no usable type");
  const requires = contract.requires.get(type);
  if (!requires && "header" in event.type) return refuse("the type is not in the catalogue");
  if (requires?.some((path) => (readJsonPath(payload, path) ?? null) === null)) {
    return refuse("the body does not have what its type requires");
  }
  const mode = readMode(event, payload);
  if (!mode) return refuse("the event does not say whether it is live or test");
  const account = readAccount(event, payload);
  if (!account.ok) return refuse(account.why);
  const found = { eventId, type, mode, account: account.account };
  return { ok: true, identity: { ...found, ...describe(event, payload, found) } };
}

function describe(
  event: CompiledEvent,
  payload: JsonValue,
  found: { type: string; mode: Mode; account: string | null },
) {
  const values = event.identityPaths.map((paths) => {
    const value = readFirst(payload, paths);
    return value === null ? null : canonicalJson(value);
  });
  return {
    subject: idText(readFirst(payload, event.subjectPaths)),
    apiVersion: idText(readFirst(payload, event.apiVersionPaths)),
    content: [found.type, found.mode, found.account, ...(values.length > 0 ? values : [digestJson(payload)])],
    ...("header" in event.id && !event.id.signed && { idIsUnsigned: true }),
  };
}

/** A header sent twice arrives joined with ", ": two ids are none. */
function cleanHeader(header: HeaderReader, name: string): string | null {
  const text = header(name);
  return text && isCleanId(text) && !/[\s,]/.test(text) ? text : null;
}

function readType(event: CompiledEvent, payload: JsonValue, header: HeaderReader): string | null {
  if ("value" in event.type) return event.type.value;
  if ("header" in event.type) return cleanHeader(header, event.type.header);
  const type = readFirst(payload, event.typePaths);
  return typeof type === "string" && isCleanId(type) ? type : null;
}

function readMode({ mode, modePaths }: CompiledEvent, payload: JsonValue): Mode | null {
  if (!mode) return "live";
  const value = readFirst(payload, modePaths);
  if (value === null || typeof value === "object") return null;
  if (mode.live.includes(String(value))) return "live";
  return mode.test.includes(String(value)) ? "test" : null;
}

type Account = { ok: true; account: string | null } | { ok: false; why: string };

/** "~" is our mark of the test mode, so no id of the sender may carry it: ids of the two modes never meet. */
function readAccount({ account, accountPaths }: CompiledEvent, payload: JsonValue): Account {
  if (!account) return { ok: true, account: null };
  const value = readFirst(payload, accountPaths);
  if (value === null) {
    return account.required ? { ok: false, why: "the event names no account" } : { ok: true, account: null };
  }
  const text = idText(value);
  return text && !text.includes("~")
    ? { ok: true, account: text }
    : { ok: false, why: "the account id is not usable" };
}

/** The identity of a body that the contract cannot read yet: the bytes are the key until it can. */
export function identifyUnread(body: Buffer): Identity {
  const digest = createHash("sha256").update(body).digest("hex");
  return {
    eventId: `body:${digest}`,
    type: "unidentified",
    account: null,
    mode: "live",
    subject: null,
    apiVersion: null,
    content: [digest],
  };
}
