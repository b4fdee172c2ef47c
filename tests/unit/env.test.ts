import { describe, expect, it } from "vitest";
import { EnvError, parseEnv } from "#lib/env.ts";

describe("settings", () => {
  it("have the defaults of the README, and an empty value counts as unset", () => {
    expect(parseEnv({ PORT: "", DATABASE_URL: " " })).toMatchObject({
      DATABASE_POOLER: "off",
      DATA_DIR: ".data",
      PORT: 3000,
      HOST: "127.0.0.1",
      PUBLIC_URL: "http://127.0.0.1:3000",
      WORKER_CONCURRENCY: 8,
      MAX_BODY_BYTES: 1_048_576,
      LOG_LEVEL: "info",
    });
  });

  it.each([
    ["PORT", "70000"],
    ["PORT", "http"],
    ["DATABASE_URL", "mysql://x"],
    ["SECRET_KEY", "c2hvcnQ="],
    ["ADMIN_TOKEN", "short"],
    ["SMTP_URL", "https://x"],
    ["OUTBOUND_ALLOW", "10.0.0.0/33"],
    ["DATABASE_POOLER", "session"],
    ["MAX_BODY_BYTES", "99999999999"],
    ["LOG_LEVEL", "loud"],
  ])("name the variable when %s is bad, and never repeat its value", (name, value) => {
    const attempt = () => parseEnv({ [name]: value });
    expect(attempt).toThrow(EnvError);
    expect(attempt).toThrow(new RegExp(`^${name}: `));
    expect(attempt).not.toThrow(value);
  });

  it.each([
    ["0.0.0.0", "http://127.0.0.1:3000"],
    ["::", "http://127.0.0.1:3000"],
    ["::1", "http://[::1]:3000"],
    ["hooks.example", "http://hooks.example:3000"],
  ])("link to HOST %s as %s", (HOST, url) => {
    expect(parseEnv({ HOST }).PUBLIC_URL).toBe(url);
  });
});
