import { z } from "zod";
import { parseAllowances } from "#lib/outbound/allowances.ts";

const base64Key = z
  .string()
  .trim()
  .refine((text) => /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text, "base64").length === 32, {
    error: "must be 32 bytes in base64 (for example from: openssl rand -base64 32)",
  });

const postgresUrl = z.string().refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text), {
  error: "must be a URL that begins with postgres:// or postgresql://",
});

const httpUrl = z.string().refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
  error: "must be a URL that begins with http:// or https://",
});

const port = z.coerce.number().int().min(1).max(65535);

const schema = z.object({
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_READ_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_POOLER: z.enum(["off", "transaction"]).default("off"),
  DATA_DIR: z.string().min(1).default(".data"),
  PORT: port.default(3000),
  HOST: z.string().min(1).default("127.0.0.1"),
  PUBLIC_URL: httpUrl.optional(),
  SECRET_KEY: base64Key.optional(),
  /** The key before SECRET_KEY: what it encrypted still opens, and is moved to the present one at the next start. */
  SECRET_KEY_OLD: base64Key.optional(),
  ADMIN_EMAIL: z.string().min(3).default("admin@localhost"),
  ADMIN_PASSWORD: z.string().min(8).optional(),
  ADMIN_TOKEN: z.string().trim().min(16, { error: "must have at least 16 characters" }).optional(),
  SMTP_URL: z
    .string()
    .refine((text) => /^smtps?:\/\//.test(text) && URL.canParse(text), {
      error: "must be a URL that begins with smtp:// or smtps://",
    })
    .optional(),
  EMAIL_FROM: z.string().min(3).optional(),
  OUTBOUND_ALLOW: z
    .string()
    .superRefine((text, context) => {
      const result = parseAllowances(text);
      if (!result.ok) context.addIssue(`${result.why} (hosts and ranges, separated by commas)`);
    })
    .optional(),
  WEBHOOK_PORT: port.optional(),
  HEARTBEAT_URL: httpUrl.optional(),
  /** A token that opens /metrics and nothing else. */
  METRICS_TOKEN: z.string().trim().min(16, { error: "must have at least 16 characters" }).optional(),
  /** `true` lets anybody read /metrics who reaches it. */
  METRICS_OPEN: z.enum(["true", "false"]).default("false"),
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(8),
  /** Seconds for which a worker's event loop may stand still before the worker is ended. */
  WORKER_STUCK_SECONDS: z.coerce.number().int().min(1).max(600).default(30),
  MAX_BODY_BYTES: z.coerce.number().int().min(1024).max(26_214_400).default(1_048_576),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
});

/** The settings of one process, as CONTRACT §2 names them. Sizes are bytes, ports are TCP ports. */
export type Env = z.infer<typeof schema> & { PUBLIC_URL: string };

export class EnvError extends Error {
  override name = "EnvError";
}

/**
 * Reads the settings from a map of variables. An empty value counts as unset, because `FOO= npm start`
 * and an empty line in an env file both mean "not set". Throws EnvError with one line per bad variable;
 * the message never repeats a value, which may be a secret.
 */
export function parseEnv(variables: Record<string, string | undefined>): Env {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()));
  const parsed = schema.safeParse(set);
  if (!parsed.success) {
    throw new EnvError(
      parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"),
    );
  }
  const env = parsed.data;
  return {
    ...env,
    PUBLIC_URL: (env.PUBLIC_URL ?? `http://${linkHost(env.HOST)}:${env.PORT}`).replace(/\/+$/, ""),
  };
}

/** How a browser here writes HOST. Every address is no address to link to; this machine's own name for itself is. */
export function linkHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

let current: Env | undefined;

/** This process's settings, read once. */
export function env(): Env {
  current ??= parseEnv(process.env);
  return current;
}
