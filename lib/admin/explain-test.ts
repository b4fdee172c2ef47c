import { z } from "zod";
import type { TestAnswer } from "./post-test-event.ts";

export type TestedEvent = { type: string; secret: string; answer: TestAnswer | null };

const stored = z.object({ status: z.string(), event: z.guid() });

/** Our id of the event, where the answer names one, and what the answer to a test event proves. Pure. */
export function explainTest({ type, secret, answer }: TestedEvent): { event: string | null; proves: string } {
  if (!answer)
    return { event: null, proves: "Nothing answered: the receiver cannot be reached from itself." };
  const body = stored.safeParse(readJson(answer.body));
  return answer.status === 200 && body.success
    ? { event: body.data.event, proves: explainStored(body.data.status, type, secret) }
    : { event: null, proves: explainRefusal(answer.status, secret) };
}

function explainStored(status: string, type: string, secret: string): string {
  const verified = `The receiver verified the signature with secret ${secret}`;
  switch (status) {
    case "ignored":
      return `${verified}, identified the event and committed it before it answered. Nothing handles ${type}, so nothing else happened and no credits moved.`;
    case "accepted":
      return `${verified} and committed the event before it answered. It is kept as waiting; its page says for what.`;
    case "duplicate":
      return `${verified}, and found the event there already.`;
    case "quarantined":
      return `${verified} and kept the event, but could not use it as it came; its page says why.`;
    default:
      return `${verified} and answered ${status}.`;
  }
}

function explainRefusal(status: number, secret: string): string {
  switch (status) {
    case 401:
      return `The receiver refused a signature that was made with secret ${secret}. The rejection log has the true reason.`;
    case 404:
      return "The receiver knows no source of this name.";
    case 503:
      return "The receiver takes nothing for this source at present, and asks senders to come back. The rejection log says why.";
    default:
      return `The receiver answered ${status}, so nothing was stored.`;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
