import { connect, type Socket } from "node:net";

/**
 * One keep-alive connection that has at most one request under way. It reads just enough of HTTP/1.1 to know where an
 * answer ends: the general clients cost more of the machine than the servers that they are to measure.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #received = "";
  #waiting: { resolve(status: number): void; reject(error: Error): void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#read(text));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  /** Sends a whole request; resolves with the status when the whole answer is there. */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received = this.#received === "" ? text : this.#received + text;
    if (!isComplete(this.#received)) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = "";
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(status);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}

/** Whether a text is an answer with its whole body, by length or in chunks. */
export function isComplete(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = text.slice(0, end + 2).toLowerCase();
  const length = /\r\ncontent-length: *([0-9]+)\r\n/.exec(head)?.[1];
  if (length !== undefined) return text.length >= end + 4 + Number(length);
  return text.endsWith("0\r\n\r\n");
}
