import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Cut = "fin" | "reset";
type Link = { client: Socket; server: Socket; onClientData?: (data: Buffer) => void; muted: boolean };

export type Wire = Awaited<ReturnType<typeof openWire>>;

/**
 * A wire between driver and server that can be cut at a chosen message. Signals alone cannot hit the moment
 * at which COMMIT is on its way, or has happened and its answer is not back yet.
 */
export async function openWire(serverPort: number) {
  const links = new Set<Link>();
  let startupCut: { after: number; how: Cut } | undefined;

  const listener = createServer({ noDelay: true }, (client) => {
    const link: Link = {
      client,
      server: connect({ port: serverPort, host: "127.0.0.1", noDelay: true }),
      muted: false,
    };
    const doomed = startupCut;
    let answers = 0;
    startupCut = undefined;
    links.add(link);
    client.on("data", (data) => (link.onClientData ? link.onClientData(data) : link.server.write(data)));
    link.server.on("data", (data) => {
      if (doomed && answers++ === doomed.after) cut(link, doomed.how);
      else if (!link.muted) client.write(data);
    });
    for (const [from, to] of [
      [client, link.server],
      [link.server, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => {
        links.delete(link);
        to.end();
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));

  function cut(link: Link, how: Cut) {
    how === "reset" ? link.client.resetAndDestroy() : link.client.end();
    link.server.destroy();
  }

  function cutAll(how: Cut) {
    for (const link of links) cut(link, how);
  }

  function find(serverSidePort: number) {
    return [...links].find((link) => link.server.localPort === serverSidePort);
  }

  return {
    port: (listener.address() as AddressInfo).port,
    /** Cuts the connection that the server sees as coming from this port. */
    cut(serverSidePort: number, how: Cut) {
      const link = find(serverSidePort);
      if (link) cut(link, how);
    },
    /** Lets the next thing the driver sends vanish, or arrive with its answer vanishing, and cuts. */
    cutAtNextMessage(serverSidePort: number, what: "message lost" | "answer lost", how: Cut) {
      const link = find(serverSidePort);
      if (!link) return;
      link.onClientData = (data) => {
        if (what === "message lost") return cut(link, how);
        link.muted = true;
        link.server.write(data);
        link.server.once("data", () => cut(link, how));
      };
    },
    /** Cuts the next new connection after so many answers of the server: inside log-in or type look-up. */
    cutNextStartup(after: number, how: Cut) {
      startupCut = { after, how };
    },
    cutAll,
    async close() {
      cutAll("reset");
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
