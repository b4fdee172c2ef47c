import type { AddressInfo, Socket } from "node:net";
import { SMTPServer } from "smtp-server";

export type SmtpBehaviour =
  | "accept"
  | "defer recipient"
  | "refuse recipient"
  | "defer message"
  | "refuse message"
  | "refuse sender"
  | "close before data"
  | "close after dot"
  | "hang after dot"
  | "hang at greeting"
  | "hang at recipient"
  | "demand login"
  | "busy";

export type ReceivedMail = { from: string; to: string[]; raw: string };

function smtpError(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** A real SMTP server on loopback that behaves as it is told. */
export async function startSmtpPeer(first: SmtpBehaviour) {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let behaviour = first;
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    closeTimeout: 100,
    logger: false,
    onConnect(_session, done) {
      if (behaviour === "hang at greeting") return;
      done(behaviour === "busy" ? smtpError(421, "Too many connections") : null);
    },
    onAuth: (_auth, _session, done) => done(smtpError(535, "Authentication credentials invalid")),
    onMailFrom: (_address, _session, done) =>
      done(behaviour === "refuse sender" ? smtpError(550, "Not a sender of ours") : null),
    onRcptTo(_address, _session, done) {
      if (behaviour === "hang at recipient") return;
      if (behaviour === "close before data") return dropAll();
      if (behaviour === "defer recipient") return done(smtpError(450, "Mailbox busy"));
      if (behaviour === "refuse recipient") return done(smtpError(550, "No such user"));
      done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        if (behaviour === "defer message") return done(smtpError(451, "Try again later"));
        if (behaviour === "refuse message") return done(smtpError(554, "Looks like spam"));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map((recipient) => recipient.address),
          raw: Buffer.concat(chunks).toString("utf8"),
        });
        if (behaviour === "close after dot") return dropAll();
        if (behaviour === "hang after dot") return;
        done(null, "Ok: queued as 42");
      });
    },
  });
  server.on("error", () => {});
  server.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    behave(next: SmtpBehaviour) {
      behaviour = next;
    },
    async close() {
      dropAll();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
