import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { problemAnswer } from "./problem.ts";

type Json = Record<string, unknown>;

/** The schemas that carry an id, once each, and a way to write any schema with references to them. */
class Components {
  readonly schemas: Record<string, Json> = {};

  write(schema: z.ZodType, io: "input" | "output"): Json {
    const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
      this.schemas[name] = relink(definition) as Json;
    }
    // zod names a schema by its id only where another refers to it; at the root it writes it out.
    const name = json.id;
    if (typeof name !== "string") return relink(json) as Json;
    this.schemas[name] = relink(json) as Json;
    return { $ref: `#/components/schemas/${name}` };
  }
}

function relink(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relink);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => key !== "id" || typeof inner !== "string");
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string"
        ? inner.replace("#/$defs/", "#/components/schemas/")
        : relink(inner),
    ]),
  );
}

/** The OpenAPI 3.1 document of the calls, made from the schemas that their routes check with. */
export function describeApi(endpoints: readonly Endpoint[], version: string, origin: string): Json {
  const components = new Components();
  const problem = { "application/json": { schema: components.write(problemAnswer, "output") } };
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: describe(endpoint, components, problem),
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Counterfoil", version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: origin }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function describe(endpoint: Endpoint, components: Components, problem: Json): Json {
  const answer = { "application/json": { schema: components.write(endpoint.answer, "output") } };
  const success = Object.entries(endpoint.success).map(([status, description]) => [
    status,
    { description, content: answer },
  ]);
  return {
    summary: endpoint.summary,
    description: `Scope: ${endpoint.scope ?? "none"}.`,
    parameters: [
      ...describeParameters("path", components.write(endpoint.params, "input")),
      ...describeParameters("query", components.write(endpoint.query, "input")),
    ],
    ...(endpoint.body && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: components.write(endpoint.body, "input") } },
      },
    }),
    responses: {
      ...Object.fromEntries(success),
      default: { description: "Why it was not done.", content: problem },
    },
  };
}

function describeParameters(place: "path" | "query", schema: Json): Json[] {
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: place,
      required: place === "path" || required.includes(name),
      ...(description ? { description } : {}),
      schema: rest,
    }),
  );
}
