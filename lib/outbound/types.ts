import type { Allowances } from "./allowances.ts";

/** Why no byte of a request left. */
export type NotSentCode = "bad_url" | "blocked_address" | "dns" | "refused" | "tls" | "connect_timeout";

/** `why` is one sentence for operators: host names and addresses, never a path, a query or a secret. */
export type HttpResult =
  /** An answer came. Its body may be cut: at 4 KB, or where the peer stopped. */
  | { kind: "answered"; status: number; headers: Record<string, string>; body: string; latencyMs: number }
  /** Nothing was written. */
  | { kind: "not_sent"; code: NotSentCode; why: string; latencyMs: number }
  /** Bytes may have left, and no answer came. */
  | { kind: "lost"; code: "timeout" | "reset"; why: string; latencyMs: number };

export type HttpRequest = {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** False where an answer lost to a connection that died between two requests would matter. Default true. */
  reuseConnection?: boolean;
};

export type Resolved = { address: string; family: 4 | 6 };

/** Name to addresses, all of them. The system's own unless a test brings another. */
export type Resolver = (host: string) => Promise<Resolved[]>;

export type Admission =
  | { ok: true; addresses: Resolved[] }
  | { ok: false; code: "blocked_address" | "dns"; why: string };

/** The one way out for calls to destinations. */
export type Outbound = {
  allow: Allowances;
  /** POST. Never throws, never follows a redirect, checks every address that it connects to. */
  post(request: HttpRequest): Promise<HttpResult>;
  /**
   * For other protocols: the addresses of a host, if it may be connected to. Connect to these, not to the name.
   * `onlyAllowed`: whatever OUTBOUND_ALLOW does not name is refused, public or not (checkUrl says it).
   */
  admit(host: string, onlyAllowed?: boolean): Promise<Admission>;
  close(): Promise<void>;
};
