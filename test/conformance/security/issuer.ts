/** Issuers of tokens on loopback: each path is one, with a discovery document and the same keys; and webhooks that answer reviews. */
import { constants, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../../src/base/index.js";
import { createAuthority } from "../../../src/base/x509/certificate.js";
import type { Json } from "./both-servers.js";

interface Loopback extends AsyncDisposable {
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  readonly requests: readonly Received[];
}

interface Received {
  readonly path: string;
  /** With its port. */
  readonly host: string;
  readonly body: Json;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Answerer = (request: Received) => Answer | Promise<Answer>;

export async function startLoopback(answer: Answerer): Promise<Loopback> {
  const now = systemClock.now();
  const authority = createAuthority({ commonName: "loopback-ca", now });
  const { key, certificate } = authority.issue({ commonName: "127.0.0.1", use: "server", hosts: ["127.0.0.1"], now });
  const requests: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const host = request.headers.host ?? "";
    const received = { path: request.url ?? "", host, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
    requests.push(received);
    const { status = 200, headers = {}, body } = await answer(received);
    response.writeHead(status, {
      "content-type": typeof body === "string" ? "text/plain" : "application/json",
      ...headers,
    });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const server: Server = createServer({ key, cert: certificate }, (request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: authority.certificate,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const rsa = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =>
  generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = (namedCurve: string): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =>
  generateKeyPairSync("ec", { namedCurve });

export interface SigningKey {
  readonly id: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export const newKeys = (): Readonly<Record<"rsa" | "p256" | "p384" | "p521" | "stranger", SigningKey>> => ({
  rsa: { id: "rsa", ...rsa() },
  p256: { id: "p256", ...ec("prime256v1") },
  p384: { id: "p384", ...ec("secp384r1") },
  p521: { id: "p521", ...ec("secp521r1") },
  stranger: { id: "rsa", ...rsa() },
});

/** The documents of issuers, with the keys of the moment. */
export function issuerDocuments(keys: () => readonly SigningKey[]): Answerer {
  return ({ path, host }) => {
    const base = `https://${host}`;
    if (path.endsWith("/keys")) {
      const set = keys().map(({ id, publicKey }) => ({ ...publicKey.export({ format: "jwk" }), kid: id, use: "sig" }));
      return { body: { keys: set } };
    }
    const [, issuer, place] = /^(\/[a-z]+)\/(\.well-known\/openid-configuration|elsewhere)$/.exec(path) ?? [];
    if (issuer === undefined) return { status: 404, body: "nothing here" };
    const named = place === "elsewhere" ? "/hidden" : issuer;
    return { body: { issuer: `${base}${named}`, jwks_uri: `${base}${issuer}/keys` } };
  };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token; `kid` of the header is left out for "". */
export function tokenOf(claims: object, key: SigningKey, algorithm: string, kid = key.id): string {
  const body = `${encode({ alg: algorithm, ...(kid === "" ? {} : { kid }) })}.${encode(claims)}`;
  const hash = `sha${algorithm.slice(2)}`;
  const { privateKey } = key;
  const { RSA_PKCS1_PSS_PADDING: pss, RSA_PKCS1_PADDING: pkcs1, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  const by = algorithm.startsWith("ES")
    ? { key: privateKey, dsaEncoding: "ieee-p1363" as const }
    : { key: privateKey, padding: algorithm.startsWith("PS") ? pss : pkcs1, saltLength };
  return `${body}.${sign(hash, Buffer.from(body), by).toString("base64url")}`;
}

/** The kubeconfig of a webhook at this place. */
export const hookConfig = (server: string, ca: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "hook", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
    users: [{ name: "apiserver", user: {} }],
    "current-context": "hook",
    contexts: [{ name: "hook", context: { cluster: "hook", user: "apiserver" } }],
  });
