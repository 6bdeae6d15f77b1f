/** A real kube-apiserver and ours, on ports, with the same tokens; each request goes to both. */
import { request } from "node:https";
import {
  type ApiServer,
  type ApiServerOptions,
  type ListenAddress,
  startApiServer,
  type UserInfo,
} from "../../../src/apiserver/index.js";
import { Lifetime } from "../../../src/base/index.js";
import { type Envtest, envtestAssets, startEnvtest } from "../../../src/testing/envtest.js";

export interface SentRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** "" for none; the administrator's if absent. */
  readonly token?: string;
  /** End the answer after its first piece, as a client that leaves a watch. */
  readonly leave?: boolean;
  /** Of the client, in PEM; then no token is sent unless one is given. */
  readonly certificate?: { readonly key: string; readonly certificate: string };
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever the servers say
export type Json = any;

interface Answered {
  readonly status: number;
  readonly body: Json;
  readonly warnings: readonly string[];
}

type Send = (sent: SentRequest) => Promise<Answered>;

export interface BothServers extends AsyncDisposable {
  readonly real: Envtest;
  readonly own: ApiServer;
  readonly ownUrl: string;
  /** PEM. */
  readonly ownAuthority: string;
  sendReal: Send;
  sendOwn: Send;
}

export interface BothOptions {
  readonly flags?: readonly string[];
  readonly disableAdmission?: readonly string[];
  readonly own?: ApiServerOptions;
  readonly listen?: ListenAddress;
  /** Further static tokens of our server. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
}

export async function startBoth({
  flags = [],
  disableAdmission,
  own = {},
  tokens,
  listen = {},
}: BothOptions): Promise<BothServers> {
  const starting = new Lifetime();
  const assets = envtestAssets() as string;
  const real = starting.use(
    await startEnvtest({ assets, flags, ...(disableAdmission === undefined ? {} : { disableAdmission }) }),
  );
  const users = new Map<string, UserInfo>([
    [real.token, { username: "admin", uid: "admin-uid", groups: ["system:masters"] }],
    [real.powerlessToken, { username: "nobody", uid: "nobody-uid", groups: [] }],
    ...(tokens ?? []),
  ]);
  const disabledAdmission = disableAdmission ?? ["ServiceAccount"];
  const server = starting.use(
    await startApiServer({ systemObjects: "at once", anonymous: true, tokens: users, disabledAdmission, ...own }),
  );
  const listener = starting.use(await server.listen(listen));
  const ownAuthority = listener.authority as string;
  return {
    real,
    own: server,
    ownUrl: listener.url,
    ownAuthority,
    sendReal: sender({ url: real.url, ca: real.ca, token: real.token }),
    sendOwn: sender({ url: listener.url, ca: ownAuthority, token: real.token }),
    [Symbol.asyncDispose]: () => starting[Symbol.asyncDispose](),
  };
}

function sender(server: { readonly url: string; readonly ca: string; readonly token: string }): Send {
  return ({ method = "GET", path, body, headers = {}, leave = false, certificate: pair, ...sent }) =>
    new Promise((resolve, reject) => {
      const token = sent.token ?? (pair === undefined ? server.token : "");
      const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
      const all = {
        accept: "application/json",
        "user-agent": "both-servers/1",
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
        ...headers,
      };
      const own = pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
      const options = { method, headers: all, agent: false, ca: server.ca, ...own };
      const outgoing = request(`${server.url}${path}`, options, (response) => {
        const status = response.statusCode ?? 0;
        const warnings = [response.headersDistinct["warning"] ?? []].flat();
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          if (!leave) return;
          resolve({ status, body: chunk.toString(), warnings });
          outgoing.destroy();
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status, body: parsed(Buffer.concat(chunks).toString()), warnings }));
      });
      outgoing.on("error", reject);
      outgoing.end(text);
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
