/** A TCP proxy that cuts connections, and refuses them for a while, when told. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { trackLeak } from "../../src/base/index.js";

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Connections that pass through it now. */
  readonly connections: number;
  /** Ends every connection, in the middle of whatever it carries. */
  cut(): void;
  /** While true, new connections are ended as soon as they come. */
  refusing: boolean;
  /** Where new connections lead to. */
  server: URL;
}

export async function startCuttingProxy(server: string): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const state = { refusing: false, server: new URL(server) };
  const listener = createServer((client) => {
    if (state.refusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(state.server.port), state.server.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const tracked = trackLeak("server", "cutting proxy");
  return {
    get refusing() {
      return state.refusing;
    },
    set refusing(refusing) {
      state.refusing = refusing;
    },
    get server() {
      return state.server;
    },
    set server(url) {
      state.server = url;
    },
    url: `${state.server.protocol}//127.0.0.1:${address.port}`,
    get connections() {
      return open.size / 2;
    },
    cut() {
      for (const socket of open) socket.resetAndDestroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      listener.close();
      await once(listener, "close");
      tracked[Symbol.dispose]();
    },
  };
}
