/** Addresses of the console's pages. Every part that came from outside is percent-encoded. */

export const eventHref = (id: string): string => `/inbox/${encodeURIComponent(id)}`;

export function invoiceHref(key: { sourceId: string; account: string; subject: string }): string {
  return `/invoices/${[key.sourceId, key.account, key.subject].map(segment).join("/")}`;
}

export const workspaceHref = (id: string): string => `/workspaces/${segment(id)}`;

export const operationHref = (id: string): string => `/operations/${encodeURIComponent(id)}`;

export const sourceHref = (id: string): string => `/sources/${segment(id)}`;

export const goHref = (id: string): string => `/go/${segment(id)}`;

/** "." and ".." are path steps even when they are ids, and a browser takes %2e for them as well. */
function segment(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed());
  return encoded === "." || encoded === ".." ? `${encoded}~` : encoded;
}

/**
 * Whether a subject has an invoice page: events about an invoice or a transaction carry its id as their subject, and so
 * do refunds and disputes once it is known.
 */
export const isAboutInvoice = ({ type, subject }: { type: string; subject: string | null }): boolean =>
  subject !== null &&
  (/^(invoice[._]|TRANSACTION_|CHECKOUT_)/.test(type) ||
    (/^(charge|refund)\./.test(type) && subject.startsWith("in_")));
