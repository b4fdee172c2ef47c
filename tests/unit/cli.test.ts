import { describe, expect, it } from "vitest";
import { parseAcks } from "#lib/cli/commands/check.ts";
import { firstSample, makeSampleEvent, nextSample } from "#lib/cli/sample-event.ts";
import { readSettings } from "#lib/cli/settings.ts";
import { showText, writeTable } from "#lib/cli/table.ts";
import { effectsFor } from "#lib/effects/index.ts";
import { readPaidInvoice } from "#lib/effects/stripe-invoice.ts";
import type { EffectEvent } from "#lib/effects/types.ts";
import type { JsonValue } from "#lib/json.ts";

describe("parseAcks", () => {
  it("reads lines and JSON", () => {
    expect(parseAcks(" a\r\nb\n\n c ")).toEqual(["a", "b", "c"]);
    expect(parseAcks('["a","b"]')).toEqual(["a", "b"]);
    expect(parseAcks("")).toEqual([]);
  });
  it("refuses anything else", () => {
    for (const text of ["[1]", "[", '[{"event":"a"}]']) expect(() => parseAcks(text)).toThrow(/one a line/);
  });
});

describe("the sample", () => {
  it("is the same event every time, unless another one is asked for", () => {
    const make = (ids = firstSample(1_764_500_000)) =>
      JSON.stringify(makeSampleEvent(ids, { customer: "cus_sample" }));
    expect(make()).toBe(make());
    expect(make(nextSample())).not.toBe(make(nextSample()));
  });

  it("is a paid invoice to the effect that grants", () => {
    const payload = makeSampleEvent(firstSample(1), { customer: "cus_sample" }) as JsonValue;
    expect(effectsFor("stripe", "invoice.paid").map(({ name }) => name)).toContain("initial-credit-grant");
    expect(readPaidInvoice({ payload } as EffectEvent)).toMatchObject({
      ok: true,
      input: {
        invoice: "in_sample_1",
        customer: "cus_sample",
        status: "paid",
        amountPaid: 1000n,
        currency: "usd",
      },
    });
  });
});

describe("readSettings", () => {
  const token = "0123456789abcdef";
  it("asks under a loopback name, whatever the public one is", async () => {
    const url = async (variables: Record<string, string>) =>
      (await readSettings({ ADMIN_TOKEN: token, ...variables })).url;
    expect(await url({})).toBe("http://127.0.0.1:3000");
    expect(await url({ PORT: "4000" })).toBe("http://127.0.0.1:4000");
    expect(await url({ PUBLIC_URL: "https://hooks.example", PORT: "4000" })).toBe("http://127.0.0.1:4000");
    expect(await url({ PUBLIC_URL: "http://localhost:5000/" })).toBe("http://localhost:5000");
    expect(await url({ HOST: "0.0.0.0" })).toBe("http://127.0.0.1:3000");
    expect(await url({ COUNTERFOIL_URL: "http://localhost:9/" })).toBe("http://localhost:9");
  });
});

describe("what is shown", () => {
  it("lines up, and no foreign text commands the terminal", () => {
    expect(
      writeTable(
        ["a", "b"],
        [
          ["long", null],
          ["x", "y"],
        ],
      ),
    ).toBe("a     b\nlong  -\nx     y");
    expect(showText("\u001b[31mred\u202e\u0007")).toBe("\ufffd[31mred\ufffd\ufffd");
  });
});
