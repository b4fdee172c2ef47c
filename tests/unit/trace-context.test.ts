import fc from "fast-check";
import { expect, it } from "vitest";
import { continueTrace, formatTraceparent, parseTraceparent } from "#lib/telemetry/trace-context.ts";

const hex = (length: number) =>
  fc
    .uint8Array({ minLength: length / 2, maxLength: length / 2 })
    .map((bytes) => Buffer.from(bytes).toString("hex"))
    .filter((text) => !/^0+$/.test(text));

it("reads back what it writes", () => {
  fc.assert(
    fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, sampled) => {
      const context = { traceId, spanId, sampled };
      expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
    }),
  );
});

it("stays in the trace of a sender that names one, under a span of its own", () => {
  const parent = parseTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")!;
  const here = continueTrace(parent);
  expect(here.traceId).toBe(parent.traceId);
  expect(here.spanId).not.toBe(parent.spanId);
  expect(here.sampled).toBe(true);
});

it("keeps to a sender's wish not to be sampled", () => {
  const parent = parseTraceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00");
  expect(continueTrace(parent).sampled).toBe(false);
});

it.each([
  null,
  "",
  "00-x",
  "00-00000000000000000000000000000000-b7ad6b7169203331-01",
  "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
  "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
])("begins a trace of its own where the header is %j", (text) => {
  expect(parseTraceparent(text)).toBeNull();
  expect(formatTraceparent(continueTrace(parseTraceparent(text)))).toMatch(
    /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/,
  );
});
