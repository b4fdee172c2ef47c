import { hostname } from "node:os";
import {
  type Attributes,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import type { TraceContext } from "./trace-context.ts";

/** One piece of work that is over. Times are milliseconds since 1970. */
export type SpanRecord = {
  name: string;
  kind: "server" | "consumer" | "producer" | "internal";
  /** Where the work stands in its trace; later work names it as its parent. */
  at: TraceContext;
  parent: TraceContext | null;
  /** Traces that this work refers to without being part of them. */
  links?: readonly TraceContext[];
  start: number;
  end: number;
  attributes: Attributes;
  /** Set when the work failed; the cause, without payload. */
  error?: string;
};

const KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
  internal: SpanKind.INTERNAL,
};

type Tracing = { record(span: SpanRecord): void; stop(): Promise<void> };

// On globalThis: Next bundles its own copy of this module, and a process exports through one pipe.
const holder = globalThis as typeof globalThis & { counterfoilTracing?: Tracing };

/** Hands a finished span to the exporter; nothing before startTracing, or when the trace is not sampled. */
export function recordSpan(span: SpanRecord): void {
  if (span.at.sampled) holder.counterfoilTracing?.record(span);
}

/** Begins to export spans, when OTEL_EXPORTER_OTLP_ENDPOINT is set; the libraries are loaded only then. */
export async function startTracing(): Promise<void> {
  if (isConfigured()) holder.counterfoilTracing ??= await open();
}

/** Exports what is left; for the orderly stop. A collector that does not answer is given up after two seconds. */
export async function stopTracing(): Promise<void> {
  const current = holder.counterfoilTracing;
  holder.counterfoilTracing = undefined;
  const late = new Promise<void>((resolve) => setTimeout(resolve, 2_000).unref());
  if (current) await Promise.race([current.stop(), late]);
}

// The exporter reads endpoint, headers and time limit from the standard OTEL_EXPORTER_OTLP_* variables itself.
const isConfigured = () =>
  Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT || process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);

async function open(): Promise<Tracing> {
  const [{ OTLPTraceExporter }, { resourceFromAttributes }, { BatchSpanProcessor, TracerProvider }] =
    await Promise.all([
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/sdk-trace"),
    ]);
  // Spans are told after the fact, many at once, under ids that were given out earlier: those in the database.
  const next = { traceId: "", spanId: "" };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": process.env.OTEL_SERVICE_NAME ?? "counterfoil",
      "service.instance.id": `${process.env.COUNTERFOIL_PROCESS ?? "main"}@${hostname()}:${process.pid}`,
    }),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer("counterfoil");
  return {
    record({ name, kind, at, parent, links = [], start, end, attributes, error }) {
      Object.assign(next, at);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], startTime: start, attributes, links: links.map(toLink) },
        context,
      );
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end(end);
    },
    stop: () => provider.shutdown().catch(() => {}),
  };
}

const toSpanContext = ({ traceId, spanId, sampled }: TraceContext) => ({
  traceId,
  spanId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
});

const toLink = (context: TraceContext): Link => ({ context: toSpanContext(context) });
