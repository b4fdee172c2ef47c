import type { ReturnKind, ReturnState, StateSource } from "#db/states.ts";

type Key = { sourceId: string; account: string };

export type LinkNeed = Key & { customer: string };
export type EntryNeed = Key & { subject: string; operation: string };
export type PaymentNeed = Key & { payment: string };
export type InvoiceNeed = Key & { invoice: string };
export type WorkspaceNeed = { workspace: string };
export type ProjectionNeed = Key & { projection: "subscription" | "transaction"; id: string };
export type FeedbackNeed = Key & { feedback: string };

/** What an effect asks to know; loaded in one query per kind for the whole batch. */
export type Need =
  | ({ kind: "link" } & LinkNeed)
  | ({ kind: "entry" } & EntryNeed)
  | ({ kind: "invoice" } & InvoiceNeed)
  | ({ kind: "workspace" } & WorkspaceNeed)
  | ({ kind: "projection" } & ProjectionNeed)
  | ({ kind: "feedback" } & FeedbackNeed);

export type LinkFact = {
  workspaceId: string;
  workspaceName: string;
  tenantId: string;
  contact: string | null;
} | null;

export type EntryFact = {
  amount: bigint;
  workspaceId: string;
  paidAmount: bigint | null;
  paidCurrency: string | null;
  mode: string;
  byEventId: string;
  byExternalId: string;
  byType: string;
  at: string;
} | null;

export type WorkspaceFact = { id: string; name: string; tenantId: string; balance: bigint } | null;

export type ReversalFact = { operation: string; amount: bigint; shortfall: bigint; byEventId: string };
export type ReturnFact = {
  kind: ReturnKind;
  reference: string;
  payment: string;
  amount: bigint;
  state: ReturnState;
};

/** All that decides on the reversals of one invoice. Reversals in the order in which they were made. */
export type InvoiceFact = {
  grant: {
    amount: bigint;
    workspaceId: string;
    paidAmount: bigint | null;
    paidCurrency: string | null;
  } | null;
  reversals: ReversalFact[];
  returns: ReturnFact[];
};

export type ProjectionFact = {
  /** The refresher can fetch it, for the source has credentials. */
  fetched: boolean;
  status: string | null;
  version: bigint | null;
  statedAt: bigint | null;
  source: StateSource | null;
  byEventId: string | null;
};

export type FeedbackFact = {
  byEventId: string;
  alerts: { operation: string; byEventId: string }[];
} | null;

export type Facts = {
  link(need: LinkNeed): LinkFact;
  entry(need: EntryNeed): EntryFact;
  /** The invoices that a payment is linked to; none: nobody has said yet. */
  payment(need: PaymentNeed): readonly string[];
  invoice(need: InvoiceNeed): InvoiceFact;
  workspace(need: WorkspaceNeed): WorkspaceFact;
  projection(need: ProjectionNeed): ProjectionFact;
  feedback(need: FeedbackNeed): FeedbackFact;
};
