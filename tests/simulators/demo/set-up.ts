import { type Senders, SINALIO_CONTRACT } from "./senders.ts";

export type Api = (method: "PUT" | "POST", path: string, body: unknown) => Promise<void>;

export const CUSTOMERS = ["cus_acme", "cus_birch", "cus_cedar"] as const;
export const UNLINKED = "cus_not_linked";

const WORKSPACES = [
  { id: "ws_acme", name: "Acme", tenant: "acme", contact: "billing@acme.example" },
  { id: "ws_birch", name: "Birch & Sons", tenant: "acme", contact: null },
  { id: "ws_cedar", name: "Cedar", tenant: "acme", contact: "accounts@cedar.example" },
];

/** Sources, workspaces and links for the simulated senders, through the API. The same again changes nothing. */
export async function setUp(api: Api, senders: Senders): Promise<void> {
  const source = (id: string, kind: string, name: string, accounts: object[], more: object = {}) =>
    api("PUT", `sources/${id}`, { kind, name, secrets: [senders.secret], accounts, ...more });
  const reconcile = { everyMinutes: 5, overlapMinutes: 15, repair: false };
  const own = (account: string) => [{ account, tenant: "acme", own: true }];
  await source("demo-stripe", "stripe", "Stripe (simulated)", own("acct_demo"), {
    settings: { reconcile },
  });
  await source("demo-payments", "payments", "Payments (simulated)", own("m_204"), {
    settings: { reconcile },
  });
  await source("demo-github", "github", "GitHub (simulated)", own("77"), { settings: { reconcile } });
  await source("demo-feed", "standard-webhooks", "Feed (simulated)", own("own"));
  await source("demo-sinalio", "sinalio", "Sinalio (simulated)", own("proj_web"), {
    contract: SINALIO_CONTRACT,
  });
  await api("POST", "sources/demo-sinalio/contract/confirm", {
    item: "authenticity",
    reason: "demo: the signature was seen to fit, all else is open",
  });
  for (const { id, ...workspace } of WORKSPACES) await api("PUT", `workspaces/${id}`, workspace);
  for (const [index, customer] of CUSTOMERS.entries()) {
    const workspace = WORKSPACES[index]!.id;
    for (const [name, account] of [
      ["demo-stripe", "acct_demo"],
      ["demo-payments", "m_204"],
    ])
      await api("PUT", "customer-links", { source: name, account, customer, workspace });
  }
  for (const [name, baseUrl] of [
    ["demo-stripe", senders.stripe.url],
    ["demo-payments", senders.payments.url],
    ["demo-github", senders.github.hookUrl],
  ] as const)
    await api("PUT", `sources/${name}/credentials`, { apiKey: senders.apiKey, baseUrl });
}
