import type { Senders } from "./senders.ts";
import { CUSTOMERS, UNLINKED } from "./set-up.ts";

type Scene = (senders: Senders) => Promise<unknown>;

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
const amount = () => pick([900, 1900, 2900, 4900, 9900]);
const payStripe = ({ stripe }: Senders, options: object = {}) =>
  stripe.pay({
    customer: pick(CUSTOMERS),
    amount: amount(),
    version: pick(["2019-03-14", "2024-06-20", "2026-10-28"]),
    both: Math.random() < 0.5,
    ...options,
  });
const payPayments = ({ payments }: Senders) => payments.pay({ customer: pick(CUSTOMERS), amount: amount() });

type AnyFault = Parameters<Senders["stripe"]["faults"]["add"]>[0];

const withStripeFault = (fault: AnyFault) => (senders: Senders) => {
  senders.stripe.faults.add(fault);
  return payStripe(senders);
};

const withPaymentsFault = (fault: AnyFault) => (senders: Senders) => {
  senders.payments.faults.add(fault);
  return payPayments(senders);
};

/** What happens, and how often in a hundred. Faults are armed for the deliveries that follow. */
const SCENES: readonly [weight: number, scene: Scene][] = [
  [26, payStripe],
  [12, payPayments],
  [8, withStripeFault({ what: "duplicate" })],
  [6, disorder],
  [4, withStripeFault({ what: "lost" })],
  [4, withPaymentsFault({ what: "lost", times: 2 })],
  [4, withStripeFault({ what: "drop" })],
  [2, withStripeFault({ what: "wrong_amount", by: 500 })],
  [4, withStripeFault({ what: "delay", ms: 20_000 })],
  [3, (senders) => payStripe(senders, { customer: UNLINKED })],
  [3, (senders) => payStripe(senders, { amount: 0 })],
  [2, (senders) => payStripe(senders, { overrides: { billing_reason: "brand_new_reason" } })],
  [4, conflict],
  [3, forged],
  [2, unreadable],
  [6, push],
  [4, feedback],
  [3, item],
];

/** One thing that happens at a sender. */
export function play(senders: Senders): Promise<unknown> {
  const total = SCENES.reduce((sum, [weight]) => sum + weight, 0);
  let at = Math.random() * total;
  for (const [weight, scene] of SCENES) {
    at -= weight;
    if (at < 0) return scene(senders);
  }
  return payStripe(senders);
}

/** Each of them once: so that no page is empty from the start. */
export async function playAll(senders: Senders): Promise<void> {
  for (const [, scene] of SCENES) await scene(senders);
}

async function disorder(senders: Senders): Promise<void> {
  senders.stripe.faults.add({ what: "reorder" });
  await payStripe(senders, { both: true });
}

/** The same event id with another amount. */
async function conflict(senders: Senders): Promise<void> {
  await payStripe(senders);
  const body = JSON.parse(senders.stripe.sentBodies().at(-1)!);
  body.data.object.amount_paid += 10_000;
  await senders.stripe.sendRaw(Buffer.from(JSON.stringify(body)));
}

async function forged({ stripe }: Senders): Promise<void> {
  await fetch(stripe.state.target!, {
    method: "POST",
    body: '{"id":"evt_forged","type":"invoice.paid"}',
    headers: {
      "stripe-signature": `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}`,
      "content-type": "application/json",
    },
  });
}

async function unreadable({ stripe }: Senders): Promise<void> {
  await stripe.sendRaw(Buffer.from('{"id":"evt_cut","type":"invoice.paid","data":{"object":'));
}

let pushes = 0;
async function push({ github }: Senders): Promise<void> {
  if (Math.random() < 0.3) github.faults.add({ what: "drop" });
  await github.emit("push", {
    ref: `refs/heads/topic-${++pushes}`,
    before: "0".repeat(40),
    after: "1".repeat(40),
    commits: [],
    pusher: { name: "ada" },
    repository: { id: 1, full_name: "acme/shop", owner: { id: 77, login: "acme" } },
    sender: { id: 1, login: "ada" },
  });
}

async function feedback({ sinalio }: Senders): Promise<void> {
  const id = `fb_${Math.floor(Math.random() * 1e6)}`;
  await sinalio.emit("feedback.created", {
    id: `sev_${id}_${Date.now()}`,
    event: "feedback.created",
    project: "proj_web",
    feedback: {
      id,
      text: pick(["The export stops at page 3", "Love the new board", "Cannot sign in since noon"]),
    },
  });
}

async function item({ standard }: Senders): Promise<void> {
  const timestamp = new Date().toISOString();
  await standard.emit("item.updated", {
    type: "item.updated",
    timestamp,
    data: { id: `it_${Math.floor(Math.random() * 1e6)}` },
  });
}
