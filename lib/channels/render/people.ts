import type { CreditGranted, Notice, NoticeBody } from "../notice.ts";
import { oneLine, plainText } from "../text.ts";

/** A notice as people read it: a title of one line, a few lines, and where to see more. Not escaped for anything yet. */
export type Reading = { title: string; lines: string[]; link: string };

export function writeForPeople(notice: Notice): Reading {
  const { title, lines } = write(notice);
  return { title: oneLine(title), lines: lines.map((line) => plainText(line)), link: notice.link };
}

/**
 * The built-in confirmation of a grant, to the workspace's own contact: an e-mail's content, without the link, which leads
 * into a console that its reader cannot enter.
 */
export function writeConfirmation(data: CreditGranted): { subject: string; text: string } {
  const { title, lines } = write({ topic: "credit.granted", data });
  return { subject: oneLine(title), text: `${lines.map((line) => plainText(line)).join("\n")}\n` };
}

function write(notice: NoticeBody): Omit<Reading, "link"> {
  switch (notice.topic) {
    case "credit.granted": {
      const { credits, workspace, invoice } = notice.data;
      return {
        title: `${credits} credits for ${oneLine(workspace.name, 120)}`,
        lines: [
          `Invoice ${invoice} was paid.`,
          `${credits} credits were added to the workspace ${oneLine(workspace.name, 120)}.`,
        ],
      };
    }
    case "credit.reversed": {
      const { credits, workspace, invoice, cause } = notice.data;
      const moved = credits < 0n ? `${-credits} credits taken from` : `${credits} credits given back to`;
      const were =
        credits < 0n ? `${-credits} credits were taken from` : `${credits} credits were given back to`;
      return {
        title: `${moved} ${oneLine(workspace.name, 120)}`,
        lines: [
          `Invoice ${invoice}: ${oneLine(cause, 80)}.`,
          `${were} the workspace ${oneLine(workspace.name, 120)}.`,
        ],
      };
    }
    case "feedback.alert": {
      const { project, feedback, operation, category, text } = notice.data;
      const what = operation === "initial-alert" ? "New feedback" : "Feedback escalated";
      return {
        title: `${what} in ${oneLine(project, 120)}`,
        lines: [
          `Feedback ${feedback}${category ? ` (${oneLine(category, 80)})` : ""}`,
          ...(text ? [plainText(text, 1_000)] : []),
        ],
      };
    }
    case "alert.opened":
      return {
        title: `Alert: ${oneLine(notice.data.title, 180)}`,
        lines: [`${notice.data.severity}, ${notice.data.kind}, since ${notice.data.openedAt}`],
      };
    case "alert.resolved":
      return {
        title: `Resolved: ${oneLine(notice.data.title, 180)}`,
        lines: [`${notice.data.kind}, from ${notice.data.openedAt} to ${notice.data.resolvedAt}`],
      };
    case "delivery.abandoned": {
      const { destination, about, attempts, lastError, message, createdAt } = notice.data;
      return {
        title: `A message to ${oneLine(destination, 120)} was given up`,
        lines: [
          `Message ${message} (${about.topic}, ${oneLine(about.subject, 120)}) of ${createdAt} was not taken within its time.`,
          `${attempts} ${attempts === 1 ? "attempt was" : "attempts were"} made.`,
          ...(lastError ? [`The last one: ${oneLine(lastError, 400)}`] : []),
          "It can still be retried by hand.",
        ],
      };
    }
    case "destination.test":
      return {
        title: `Test message to ${oneLine(notice.data.destination, 120)}`,
        lines: ["Somebody asked for it in the console. Nothing needs to be done."],
      };
  }
}
