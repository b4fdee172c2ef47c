"use client";

const YEAR = 365 * 86_400;

/** Keeps a choice of this browser where the server can read it before it renders. Null forgets it. */
export function keepChoice(name: string, value: string | null): void {
  const age = value === null ? 0 : YEAR;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser, and this is no secret
  document.cookie = `${name}=${encodeURIComponent(value ?? "")}; Path=/; Max-Age=${age}; SameSite=Lax`;
}
