/** Handmade clients of a listening server: single requests, bare sockets, HTTP/2 sessions. */
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { Agent, request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import type { ServerListener } from "../../src/apiserver/listen/serve.js";

export interface Target {
  readonly url: string;
  readonly port: number;
  readonly ca: string;
  readonly token: string;
}

export const targetOf = (listener: ServerListener, { token }: { readonly token: string }): Target => ({
  url: listener.url,
  port: listener.port,
  ca: listener.authority as string,
  token,
});

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** One request on a connection of its own. */
export function ask({ url, ca, token }: Target, { method = "GET", path, headers = {}, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ ca });
    const all = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
    const sent = request(`${url}${path}`, { method, agent, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        agent.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export const isAlive = async (target: Target): Promise<boolean> =>
  (await ask(target, { path: "/readyz" })).status === 200;

export async function rawSocket({ port, ca }: Target): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["http/1.1"] });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  return socket;
}

export async function session({ url, ca }: Target): Promise<ClientHttp2Session> {
  const made = connectHttp2(url, { ca });
  made.on("error", () => {});
  await once(made, "remoteSettings");
  return made;
}

export const configMaps = "/api/v1/namespaces/default/configmaps";
export const configMap = (name: string, size: number): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { x: "y".repeat(size) } });
