/** An API server in front of an extension server, ours or the real one, with a client for plain requests. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ClientRequest } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { startApiServer } from "../../src/apiserver/index.js";
import { Lifetime, systemClock } from "../../src/base/index.js";
import { createAuthority } from "../../src/base/x509/certificate.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import type { Json } from "../ask.js";
import { eventually } from "../eventually.js";
import { type ExtensionServer, group } from "./extension-server.js";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: object;
  readonly as?: "admin" | "nobody";
}

export interface Place extends AsyncDisposable {
  readonly url: string;
  send(path: string, asking?: Asking): Promise<Reply>;
  /** Gives the connection after an answer of 101, or the answer. */
  upgrade(path: string): Promise<Duplex | Reply>;
  /** Sends a request whose body the caller writes, and gives the answer in pieces. */
  write(path: string, asking: Asking): { readonly sent: ClientRequest; readonly answer: AsyncGenerator<string> };
  /** Reads an answer in pieces; leaving the loop closes the connection. */
  stream(path: string): AsyncGenerator<string>;
}

export type Kind = "coxswain" | "kube-apiserver";

export const kinds: readonly Kind[] = envtestAssets() === undefined ? ["coxswain"] : ["coxswain", "kube-apiserver"];

const tokens = { admin: "token-of-admin", nobody: "token-of-nobody" };

export async function startPlace(kind: Kind): Promise<Place> {
  const lifetime = new Lifetime();
  try {
    return kind === "coxswain" ? await ourPlace(lifetime) : await realPlace(lifetime);
  } catch (error) {
    await lifetime[Symbol.asyncDispose]();
    throw error;
  }
}

async function ourPlace(lifetime: Lifetime): Promise<Place> {
  const users = new Map([
    [tokens.admin, { username: "admin", uid: "admin-uid", groups: ["system:masters"], extra: { "a/b": ["c d"] } }],
    [tokens.nobody, { username: "nobody", uid: "nobody-uid", groups: [] }],
  ]);
  const server = lifetime.use(await startApiServer({ systemObjects: "at once", tokens: users }));
  const { url } = await server.listen();
  return placeAt(url, tokens, lifetime);
}

async function realPlace(lifetime: Lifetime): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-front-proxy-"));
  lifetime.defer(() => rm(folder, { recursive: true, force: true }));
  const authority = createAuthority({ commonName: "front-proxy-ca", now: systemClock.now() });
  const { key, certificate } = authority.issue({ commonName: "front-proxy-client", use: "client" });
  const files = { ca: authority.certificate, key, certificate };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const flags = [
    `--requestheader-client-ca-file=${join(folder, "ca")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-uid-headers=X-Remote-Uid",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${join(folder, "certificate")}`,
    `--proxy-client-key-file=${join(folder, "key")}`,
  ];
  const { url, token, powerlessToken } = lifetime.use(await startEnvtest({ assets: envtestAssets() as string, flags }));
  return placeAt(url, { admin: token, nobody: powerlessToken }, lifetime);
}

async function* textOf(response: AsyncIterable<Buffer> | Promise<AsyncIterable<Buffer>>): AsyncGenerator<string> {
  for await (const piece of await response) yield piece.toString();
}

function placeAt(url: string, known: typeof tokens, lifetime: Lifetime): Place {
  const optionsFor = ({ method = "GET", headers = {}, as = "admin" }: Asking): object => ({
    method,
    agent: false,
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${known[as]}`, accept: "application/json", ...headers },
  });
  return {
    url,
    send: (path, asking = {}) =>
      new Promise((resolve, reject) => {
        const json = asking.body === undefined ? {} : { "content-type": "application/json" };
        const options = optionsFor({ ...asking, headers: { ...json, ...asking.headers } });
        const sent = request(`${url}${path}`, options, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const { statusCode: status = 0, headers } = response;
            resolve({ status, headers, text: Buffer.concat(chunks).toString() });
          });
        });
        sent.on("error", reject);
        sent.end(asking.body === undefined ? undefined : JSON.stringify(asking.body));
      }),
    upgrade: (path) =>
      new Promise((resolve, reject) => {
        const headers = { connection: "Upgrade", upgrade: "shouting/1" };
        const sent = request(`${url}${path}`, optionsFor({ method: "POST", headers }));
        sent.on("upgrade", (_, socket, head) => {
          if (head.length > 0) socket.unshift(head);
          resolve(socket);
        });
        sent.on("response", (response) => {
          response.setEncoding("utf8");
          let text = "";
          response.on("data", (piece: string) => (text += piece));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        });
        sent.on("error", reject);
        sent.end();
      }),
    write: (path, asking) => {
      const sent = request(`${url}${path}`, optionsFor(asking));
      const response = new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
        sent.on("response", resolve).on("error", reject);
      });
      return { sent, answer: textOf(response) };
    },
    async *stream(path) {
      const response = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
        request(`${url}${path}`, optionsFor({}), resolve).on("error", reject).end();
      });
      yield* textOf(response);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

const services = "/api/v1/namespaces/extension/services";
export const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
export const serviceName = `v1.${group}`;

export const apiService = (spec: object, version = "v1"): object => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: `${version}.${group}` },
  spec: { group, version, groupPriorityMinimum: 1500, versionPriority: 15, ...spec },
});

/** Registers the extension server as a service with an external name, and waits until it is there. */
export async function register(place: Place, { port, caBundle }: ExtensionServer): Promise<void> {
  await place.send("/api/v1/namespaces", { method: "POST", body: { metadata: { name: "extension" } } });
  const spec = { type: "ExternalName", externalName: "localhost" };
  await place.send(services, { method: "POST", body: { metadata: { name: "api" }, spec } });
  const body = apiService({ service: { namespace: "extension", name: "api", port }, caBundle });
  await place.send(apiServices, { method: "POST", body });
  await eventually("the server is available", async () => (await condition(place)).reason === "Passed");
  await eventually("its documents are known", async () => (await place.send("/openapi/v2")).text.includes(group));
}

/** The condition Available without its time. */
export async function condition(place: Place, name = serviceName): Promise<Json> {
  const { text } = await place.send(`${apiServices}/${name}`);
  const conditions = JSON.parse(text).status?.conditions ?? [];
  const { lastTransitionTime: _, ...rest } = conditions[0] ?? {};
  return rest;
}
