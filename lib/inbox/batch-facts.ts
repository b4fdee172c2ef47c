import type {
  EntryFact,
  EntryNeed,
  Facts,
  FeedbackFact,
  FeedbackNeed,
  InvoiceFact,
  InvoiceNeed,
  LinkFact,
  LinkNeed,
  PaymentNeed,
  ProjectionFact,
  ProjectionNeed,
  WorkspaceFact,
  WorkspaceNeed,
} from "#lib/effects/types.ts";

const keyOf = (...parts: string[]) => JSON.stringify(parts);

const linkKey = (need: LinkNeed) => keyOf(need.sourceId, need.account, need.customer);
const entryKey = (need: EntryNeed) => keyOf(need.sourceId, need.account, need.subject, need.operation);
const paymentKey = (need: PaymentNeed) => keyOf(need.sourceId, need.account, need.payment);
const invoiceKey = (need: InvoiceNeed) => keyOf(need.sourceId, need.account, need.invoice);
const projectionKey = (need: ProjectionNeed) => keyOf(need.sourceId, need.account, need.projection, need.id);
const feedbackKey = (need: FeedbackNeed) => keyOf(need.sourceId, need.account, need.feedback);

const NO_INVOICE: InvoiceFact = { grant: null, reversals: [], returns: [] };
const NO_PROJECTION: ProjectionFact = {
  fetched: false,
  status: null,
  version: null,
  statedAt: null,
  source: null,
  byEventId: null,
};

/**
 * The facts of a batch, as plain maps: what was loaded, and what earlier rows of the batch decided folded in for the
 * later ones (fold.ts). Which invoice a payment paid is as it was when the locks were chosen, and never folded.
 */
export class BatchFacts implements Facts {
  #links = new Map<string, LinkFact>();
  #entries = new Map<string, EntryFact>();
  #payments = new Map<string, string[]>();
  #invoices = new Map<string, InvoiceFact>();
  #workspaces = new Map<string, WorkspaceFact>();
  #projections = new Map<string, ProjectionFact>();
  #feedback = new Map<string, FeedbackFact>();

  link = (need: LinkNeed): LinkFact => this.#links.get(linkKey(need)) ?? null;
  entry = (need: EntryNeed): EntryFact => this.#entries.get(entryKey(need)) ?? null;
  payment = (need: PaymentNeed): readonly string[] => this.#payments.get(paymentKey(need)) ?? [];
  invoice = (need: InvoiceNeed): InvoiceFact => this.#invoices.get(invoiceKey(need)) ?? NO_INVOICE;
  workspace = (need: WorkspaceNeed): WorkspaceFact => this.#workspaces.get(need.workspace) ?? null;
  projection = (need: ProjectionNeed): ProjectionFact =>
    this.#projections.get(projectionKey(need)) ?? NO_PROJECTION;
  feedback = (need: FeedbackNeed): FeedbackFact => this.#feedback.get(feedbackKey(need)) ?? null;

  /** Whether it was loaded: what was not asked for is not folded either. */
  hasInvoice = (need: InvoiceNeed): boolean => this.#invoices.has(invoiceKey(need));

  setLink(need: LinkNeed, fact: LinkFact): void {
    this.#links.set(linkKey(need), fact);
  }
  setEntry(need: EntryNeed, fact: EntryFact): void {
    this.#entries.set(entryKey(need), fact);
  }
  addPayment(need: PaymentNeed, invoice: string): void {
    this.#payments.set(paymentKey(need), [...this.payment(need), invoice]);
  }
  setInvoice(need: InvoiceNeed, fact: InvoiceFact): void {
    this.#invoices.set(invoiceKey(need), fact);
  }
  setWorkspace(fact: NonNullable<WorkspaceFact>): void {
    this.#workspaces.set(fact.id, fact);
  }
  setProjection(need: ProjectionNeed, fact: ProjectionFact): void {
    this.#projections.set(projectionKey(need), fact);
  }
  setFeedback(need: FeedbackNeed, fact: FeedbackFact): void {
    this.#feedback.set(feedbackKey(need), fact);
  }
  /** Takes over what is known of payments, as it was when the locks were chosen. */
  keepPayments(from: BatchFacts): void {
    this.#payments = from.#payments;
  }
}
