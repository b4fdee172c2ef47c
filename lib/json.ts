import { isAscii } from "node:buffer";
import { parse as parseLossless } from "lossless-json";

/** Parsed JSON in which no integer was rounded: one that a double cannot hold exactly is a bigint. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };

export type JsonResult = { ok: true; value: JsonValue } | { ok: false; why: string };

/** Deeper nesting, longer numbers and larger exponents are what PostgreSQL and JSON.stringify stumble over. */
export const JSON_LIMITS = { depth: 64, digits: 100, exponent: 400 };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Parses the bytes of a verified body. Never throws; `why` is one sentence without payload text.
 * The native parser serves bodies in which it cannot lose anything, the lossless one (ten times slower) the rest.
 */
export function parseJson(body: Uint8Array): JsonResult {
  const text = decode(body);
  if (text === null) return { ok: false, why: "the body is not valid UTF-8" };
  if (text.trim() === "") return { ok: false, why: "the body is empty" };
  const { depth, keys, mayLose } = scan(text);
  if (depth > JSON_LIMITS.depth) {
    return { ok: false, why: `the body is nested deeper than ${JSON_LIMITS.depth} levels` };
  }
  if (!mayLose) {
    const value = parseNative(text);
    if (value === undefined) return { ok: false, why: "the body is not valid JSON" };
    // As many keys as colons outside strings: none was overwritten by a twin.
    if (countKeys(value) === keys) return { ok: true, value };
  }
  return parseCarefully(text);
}

/** Null for what is no UTF-8. Most bodies are plain ASCII, which needs no decoder. */
function decode(body: Uint8Array): string | null {
  if (isAscii(body)) return Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
  try {
    // A byte order mark is dropped: RFC 8259 lets a parser ignore it. The signature covered it all the same.
    return utf8.decode(body);
  } catch {
    return null;
  }
}

function parseNative(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

class Refused extends Error {}

function parseCarefully(text: string): JsonResult {
  if (parseNative(text) === undefined) return { ok: false, why: "the body is not valid JSON" };
  try {
    const value = parseLossless(text, undefined, { parseNumber: readNumber }) as JsonValue;
    return { ok: true, value };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, why: error.message };
    return { ok: false, why: "the body has the same key twice in one object, with different values" };
  }
}

/** A number literal as a double when that loses nothing, as a bigint when it is a larger integer. */
function readNumber(literal: string): number | bigint {
  const exponent = /[eE]([+-]?[0-9]+)$/.exec(literal)?.[1];
  if (literal.length > JSON_LIMITS.digits || Math.abs(Number(exponent ?? 0)) > JSON_LIMITS.exponent) {
    throw new Refused("the body has a number that is absurdly long or large");
  }
  const value = Number(literal);
  if (!Number.isFinite(value)) throw new Refused("the body has a number that is absurdly long or large");
  if (/^-?[0-9]+$/.test(literal) && !Number.isSafeInteger(value)) return BigInt(literal);
  return value;
}

/**
 * One pass over what is outside strings: deepest nesting, number of keys (colons), and whether a number is there that
 * a double may not hold (sixteen digits in a row, or an exponent). Ids inside strings often look like one ("x7e5"),
 * and each would cost the lossless parser. No recursion, so no input overflows the stack.
 */
function scan(text: string): { depth: number; keys: number; mayLose: boolean } {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  let digits = 0;
  let mayLose = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      do {
        at = text.indexOf('"', at + 1);
        if (at < 0) return { depth: deepest, keys, mayLose };
      } while (text.charCodeAt(at - 1) === 0x5c && isEscaped(text, at));
      digits = 0;
    } else if (code >= 0x30 && code <= 0x39) {
      if (++digits === 16) mayLose = true;
    } else {
      if (code === 0x3a) keys++;
      else if (code === 0x5b || code === 0x7b) {
        if (++depth > deepest) deepest = depth;
      } else if (code === 0x5d || code === 0x7d) depth--;
      else if ((code === 0x65 || code === 0x45) && (digits > 0 || text.charCodeAt(at - 1) === 0x2e))
        mayLose = true;
      digits = 0;
    }
  }
  return { depth: deepest, keys, mayLose };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
  return slashes % 2 === 1;
}

function countKeys(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item);
  else for (const key in value) count += 1 + countKeys(value[key]!);
  return count;
}

/** An own member of a parsed object, or undefined: never one of Object.prototype. */
export function member(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** An id from JSON as text, digits exactly as sent; null for anything that is no id. */
export function idText(value: JsonValue | undefined): string | null {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === "string" && isCleanId(value) ? value : null;
}

/** 1 to 255 characters, none of them a control character, a lone surrogate or white space at an end. */
export function isCleanId(text: string): boolean {
  return (
    text.length > 0 &&
    text.length <= 255 &&
    text.trim() === text &&
    !/\p{Cc}/u.test(text) &&
    text.isWellFormed()
  );
}

/** Text that PostgreSQL can keep: NUL and lone surrogates become U+FFFD. For texts people read, never for keys. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd");
}
