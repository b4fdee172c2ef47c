import pino from "pino";
import { env } from "#lib/env.ts";

let root: pino.Logger | undefined;

/**
 * This process's logger: JSON lines on stdout, or a readable form when stdout is a terminal.
 * What is logged are keys, counts and causes; payloads, headers and secrets never are.
 */
export function log(): pino.Logger {
  root ??= pino({
    level: env().LOG_LEVEL,
    base: { process: process.env.COUNTERFOIL_PROCESS ?? "main", pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    ...(process.stdout.isTTY || process.env.COUNTERFOIL_TTY
      ? {
          transport: {
            target: "pino-pretty",
            options: { ignore: "pid,process", messageFormat: "{process}: {msg}" },
          },
        }
      : {}),
  });
  return root;
}

/**
 * An error as name, code, message and stack of the innermost cause. The outer message of a database
 * library may repeat the statement's parameters, and those are payloads.
 */
export function describeError(error: unknown): {
  name: string;
  code?: string;
  message: string;
  stack?: string;
} {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  if (!(inner instanceof Error)) return { name: "Error", message: String(inner) };
  const code = (inner as { code?: unknown }).code;
  return {
    name: inner.name,
    ...(typeof code === "string" ? { code } : {}),
    message: inner.message,
    stack: inner.stack,
  };
}
