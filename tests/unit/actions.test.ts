import { describe, expect, it } from "vitest";
import { ROLES } from "#db/states.ts";
import { ACTIONS, type Action, describeLack, may, scopesOf } from "#lib/access/actions.ts";
import { SCOPES } from "#lib/access/actor.ts";
import { ENDPOINTS } from "#lib/api/endpoints/index.ts";

const names = Object.keys(ACTIONS) as Action[];
const person = (role: (typeof ROLES)[number], tenants: string[] | null = null) => ({
  name: "x",
  role,
  scopes: scopesOf(role),
  tenants,
});

describe("the table of actions", () => {
  it("lets an admin do everything, and nobody else", () => {
    expect(names.filter((name) => !may(person("admin"), name))).toEqual([]);
    for (const role of ROLES.slice(1)) expect(names.some((name) => !may(person(role), name))).toBe(true);
  });

  it("widens from viewer to support to operator to admin", () => {
    const [, operator, support, viewer] = ROLES.map((role) =>
      names.filter((name) => may(person(role), name)),
    );
    expect(support).toEqual(expect.arrayContaining(viewer!));
    expect(operator).toEqual(expect.arrayContaining(support!));
  });

  it("keeps payloads from a viewer and masks them for support", () => {
    expect(may(person("viewer"), "inbox.read")).toBe(false);
    expect(may(person("viewer"), "payload.reveal")).toBe(false);
    expect(may(person("support"), "payload.read")).toBe(false);
    expect(may(person("support"), "payload.reveal")).toBe(true);
  });

  it("asks a token for scopes alone", () => {
    const token = { name: "t", scopes: ["INBOX_READ"] as const };
    expect(may(token, "inbox.read")).toBe(true);
    expect(may(token, "inbox.replay")).toBe(false);
    expect(may({ name: "t", scopes: SCOPES }, "users.manage")).toBe(true);
    expect(describeLack(token, "users.manage")).toContain("ADMIN");
  });

  it("takes a scope as its usual action", () => {
    expect(may(person("viewer"), "INBOX_READ")).toBe(false);
    expect(may(person("support"), "INBOX_REPLAY")).toBe(true);
    expect(may(person("operator"), "ADMIN")).toBe(false);
  });

  it("gives limited sight nothing that is about all tenants", () => {
    expect(may(person("admin", ["acme"]), "users.manage")).toBe(false);
    expect(may(person("admin", []), "sources.read")).toBe(false);
    expect(may(person("viewer", ["acme"]), "account.manage")).toBe(true);
  });

  it("agrees with the scope that each call of the API names", () => {
    const wrong = ENDPOINTS.filter(({ action, scope }) => action && ACTIONS[action].scope !== scope);
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
