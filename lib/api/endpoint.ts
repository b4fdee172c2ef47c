import type { z } from "zod";
import type { Action } from "#lib/access/actions.ts";
import type { Scope } from "#lib/access/actor.ts";

export type AnswerSchema = { description: string; schema: z.ZodType };

/**
 * One call of the API: what the route checks, what its types are and what the OpenAPI document says are this one
 * value.
 */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> = {
  method: "GET" | "PUT" | "POST";
  /** With {names} as in `params`. */
  path: string;
  /** Null: any token will do. */
  scope: Scope | null;
  /** Which action of lib/access/actions.ts it is; left out: the usual one of its scope. */
  action?: Action;
  summary: string;
  params: Params;
  query: Query;
  /** Null for calls without one. */
  body: Body | null;
  answer: Answer;
  /** Statuses of a success, each with one sentence. */
  success: Record<number, string>;
};
