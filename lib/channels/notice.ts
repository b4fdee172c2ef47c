/** What a message is about, before any channel has given it a form. Amounts are integers, times ISO 8601 in UTC. */
export type Notice = {
  /** When it came to be; frozen with the content. */
  at: string;
  /** Absolute URL of the console's page about it (PUBLIC_URL and lib/console/links.ts). */
  link: string;
} & NoticeBody;

export type NoticeBody =
  | { topic: "credit.granted"; data: CreditGranted }
  | { topic: "credit.reversed"; data: CreditReversed }
  | { topic: "feedback.alert"; data: FeedbackAlert }
  | { topic: "alert.opened"; data: AlertOpened }
  | { topic: "alert.resolved"; data: AlertResolved }
  | { topic: "delivery.abandoned"; data: DeliveryAbandoned }
  | { topic: "destination.test"; data: DestinationTest };

export type Topic = NoticeBody["topic"];

/** What a destination can subscribe to (CONTRACT §8). A test message goes to the destination that it tests. */
export const TOPICS = [
  "credit.granted",
  "credit.reversed",
  "feedback.alert",
  "alert.opened",
  "alert.resolved",
  "delivery.abandoned",
] as const satisfies readonly Topic[];

/** The thing that a ledger entry is about, and whose it is. */
type Ledger = {
  source: string;
  account: string;
  invoice: string;
  operation: string;
  /** uuid of the inbox event. */
  event: string;
  workspace: { id: string; name: string };
};

export type CreditGranted = Ledger & {
  /** More than 0. */
  credits: bigint;
  /** In minor units, with its currency; both null where nothing was said. */
  paid: { amount: bigint; currency: string } | null;
};

export type CreditReversed = Ledger & {
  /** The entry's amount as it is in the ledger: less than 0 takes credits away, more gives them back. */
  credits: bigint;
  /** What led to it, in a few words: "refund", "dispute lost", "correction". */
  cause: string;
};

export type FeedbackAlert = {
  source: string;
  project: string;
  /** The sender's id of the feedback. */
  feedback: string;
  /** "initial-alert" or the escalation's own key. */
  operation: string;
  /** uuid of our alert. */
  alert: string;
  category: string | null;
  /** What the person wrote, or its beginning. Shown to people (Slack, e-mail), not in webhook and NATS bodies. */
  text: string | null;
};

export type AlertOpened = {
  /** uuid. */
  alert: string;
  kind: string;
  severity: string;
  /** One sentence. */
  title: string;
  openedAt: string;
};

export type AlertResolved = AlertOpened & { resolvedAt: string };

export type DeliveryAbandoned = {
  /** uuid of the message that was given up. */
  message: string;
  destination: string;
  channel: string;
  /** Its topic and subject. */
  about: { topic: string; subject: string };
  attempts: number;
  /** Why the last attempt failed, one sentence without payload. */
  lastError: string | null;
  createdAt: string;
};

export type DestinationTest = { destination: string };
