import { z } from "zod";
import { REJECTION_REASONS } from "#db/states.ts";
import type { Endpoint } from "../endpoint.ts";
import { nothing, pageOf, paging, time } from "../fields.ts";

export const listWorkers = {
  method: "GET",
  path: "/api/v1/workers",
  scope: "INBOX_READ",
  action: "processes.read",
  summary: "List processes, and which of them died and were started again",
  params: nothing,
  query: nothing,
  body: null,
  answer: z.object({
    processes: z.array(
      z.object({
        id: z.string(),
        role: z.string(),
        host: z.string(),
        pid: z.int(),
        version: z.string(),
        startedAt: time,
        seenAt: time,
        stoppedAt: time.nullable(),
        alive: z.boolean(),
      }),
    ),
    restarts: z.array(
      z.object({
        at: time,
        process: z.string(),
        host: z.string(),
        what: z.enum(["died", "restarted"]),
        exitCode: z.int().nullable(),
        signal: z.string().nullable(),
      }),
    ),
  }),
  success: { 200: "Processes of the last day, and the newest deaths and restarts." },
} satisfies Endpoint;

export const listRejections = {
  method: "GET",
  path: "/api/v1/rejections",
  scope: "INBOX_READ",
  action: "rejections.read",
  summary: "List requests that the receiver turned away",
  params: nothing,
  query: z.strictObject({
    ...paging,
    source: z.string().trim().min(1).max(63).optional(),
    reason: z.enum(REJECTION_REASONS).optional(),
  }),
  body: null,
  answer: pageOf(
    z.object({
      id: z.string(),
      at: time,
      source: z.string(),
      reason: z.enum(REJECTION_REASONS),
      detail: z.string().nullable(),
      remoteAddress: z.string().nullable(),
      bytes: z.int().nullable(),
    }),
  ).extend({
    lastDay: z
      .array(z.object({ source: z.string(), reason: z.enum(REJECTION_REASONS), count: z.number() }))
      .meta({ description: "All of the last 24 hours; the list is sampled." }),
  }),
  success: { 200: "A page of the sampled rejections, newest first, and the counts." },
} satisfies Endpoint;

const check = z.object({
  name: z.string(),
  rule: z.string(),
  ok: z.boolean(),
  count: z.int().meta({ description: "How many rows break the rule; violations shows the first 20." }),
  violations: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
});

const checkAnswer = z.object({ ok: z.boolean(), checks: z.array(check) }).meta({ id: "Checks" });

export const getCheck = {
  method: "GET",
  path: "/api/v1/check",
  scope: "INBOX_READ",
  action: "check.run",
  summary: "Check what must always be true",
  params: nothing,
  query: nothing,
  body: null,
  answer: checkAnswer,
  success: { 200: "Every rule with what breaks it; ok is false where anything does." },
} satisfies Endpoint;

export const postCheck = {
  ...getCheck,
  method: "POST",
  summary: "The same, and whether acknowledged events are stored",
  body: z.strictObject({ acks: z.array(z.string().max(100)).max(10_000) }),
} satisfies Endpoint;
