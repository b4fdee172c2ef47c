import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Product } from "./product.ts";

export type HttpReceiver = {
  /** Base for `${url}/api/webhooks/{source}`. */
  url: string;
  /** Refuses connections until up() is called: the outage of a receiver. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
};

/** The product's receiver behind a real port, for senders that run elsewhere. */
export async function startHttpReceiver(product: Product): Promise<HttpReceiver> {
  const create = () =>
    createServer((request, response) => {
      const source = request.url!.split("/").at(-1)!;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      product
        .receive({
          method: request.method!,
          source,
          header: (name) => headers[name] ?? null,
          allHeaders: () => headers,
          body: request,
        })
        .then((answer) => {
          response.writeHead(answer.status, answer.headers);
          response.end(answer.body);
        });
    });
  let server = create();
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    down: close,
    async up() {
      server = create();
      await listen(port);
    },
    stop: close,
  };
}
