import addressparser from "nodemailer/lib/addressparser";
import MailComposer from "nodemailer/lib/mail-composer";
import { oneLine } from "../text.ts";

export type Mail = { envelope: { from: string; to: string[]; size: number }; bytes: Buffer };

export type MailParts = {
  /** uuid of the message. */
  id: string;
  date: Date;
  /** EMAIL_FROM: an address, or a name with one in angle brackets. */
  from: string;
  to: string;
  subject: string;
  text: string;
};

/**
 * The message as bytes: the same for every attempt. The Message-ID is made from the uuid, so that copies can be told apart
 * from messages. Not ok when EMAIL_FROM holds no single address.
 */
export async function composeMail(
  parts: MailParts,
): Promise<{ ok: true; value: Mail } | { ok: false; why: string }> {
  const [sender, ...more] = addressparser(parts.from, { flatten: true });
  const domain = sender?.address.split("@")[1];
  if (!sender || !domain || more.length > 0)
    return { ok: false, why: "e-mail waits until EMAIL_FROM is one address" };
  const bytes = await new MailComposer({
    from: { name: sender.name, address: sender.address },
    // As an object it is one address, whatever it contains.
    to: { name: "", address: parts.to },
    subject: oneLine(parts.subject),
    text: parts.text,
    date: parts.date,
    messageId: `<${parts.id}@${domain}>`,
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
  return {
    ok: true,
    value: { envelope: { from: sender.address, to: [parts.to], size: bytes.length }, bytes },
  };
}
