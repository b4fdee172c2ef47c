import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { nothing } from "../fields.ts";

/** Not part of the document that it answers with. */
export const getOpenapi = {
  method: "GET",
  path: "/api/v1/openapi.json",
  scope: null,
  summary: "Describe the API",
  params: nothing,
  query: nothing,
  body: null,
  answer: z.record(z.string(), z.unknown()),
  success: { 200: "The OpenAPI document." },
} satisfies Endpoint;
