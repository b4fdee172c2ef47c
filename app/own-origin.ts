import { env, linkHost } from "#lib/env.ts";

/** Where this process reaches itself. Not PUBLIC_URL: that may lead through a proxy, or nowhere yet. */
export function ownOrigin(): string {
  const { HOST, PORT } = env();
  return `http://${linkHost(HOST)}:${PORT}`;
}
