/** Sends POSTs to webhooks over TLS, within their timeouts; errors are in upstream's words, which users search for. */
import { parseExactJson } from "../../api/values/exact-json.js";
import type { RequestOptions } from "node:https";
import { isIP } from "node:net";
import { posix } from "node:path";
import type { WebhookClientConfig } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { lookup } from "../../base/members.js";
import { authorizationOf, type HookUser } from "../configuration/kubeconfig.js";
import { KeptConnections } from "../outbound/kept-connections.js";
import { hostOf, send } from "../outbound/send.js";
import { type Address, addressesOf } from "../outbound/service-address.js";
import { goWords } from "../../base/net/go-words.js";
import { clientWords } from "../outbound/words.js";
import type { Store } from "../storage/contract.js";

interface Call {
  readonly config: WebhookClientConfig;
  readonly body: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** The credentials for the webhook's host, as it stands in the configuration, with its port. */
  userFor?(host: string): HookUser | undefined;
}

export interface WebhookCaller {
  /** The answer's JSON. Rejects with an Error for every failure. */
  call(call: Call): Promise<unknown>;
}

/** Keeps connections open between calls, until it is disposed. */
export class WebhookConnections implements WebhookCaller, Disposable {
  readonly #store: Store;
  readonly connections: KeptConnections = new KeptConnections();

  constructor(store: Store) {
    this.#store = store;
  }

  call(call: Call): Promise<unknown> {
    return callWebhook(call, this.#store, this.connections);
  }

  [Symbol.dispose](): void {
    this.connections[Symbol.dispose]();
  }
}

async function callWebhook(
  { config, body, timeoutSeconds, signal, userFor }: Call,
  store: Store,
  connections: KeptConnections,
): Promise<unknown> {
  const { authority, path, servername, connect } = locate(config);
  const user = userFor?.(authority) ?? {};
  const target = `${path}${path.includes("?") ? "&" : "?"}timeout=${timeoutSeconds}s`;
  let text: string;
  try {
    const { host, port } = connect(store);
    const headers = {
      host: authority,
      accept: "application/json, */*",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "kube-apiserver-admission",
      ...defined({ authorization: authorizationOf(user) }),
    };
    const agent = connections.agent(true);
    const own = defined({ cert: user.clientCertificate?.certificate, key: user.clientCertificate?.key });
    const secrets = { ...trustOf(config), ...own };
    const options = { method: "POST", host, port, path: target, servername, agent, headers, signal, ...secrets };
    const answer = await send(options, body).catch((error: unknown) => {
      throw new Error(goWords(error, { host, port }, signal.aborted));
    });
    if (answer.status < 200 || answer.status > 206) throw new Refusal(clientWords(answer));
    ({ text } = answer);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Error(`Post ${JSON.stringify(`https://${authority}${target}`)}: ${(error as Error).message}`);
  }
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    throw new Error(`couldn't get version/kind; json parse error: ${unreadable(text)}`);
  }
  return objectOf(value);
}

/** The webhook answered, but not with a usable review. */
class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Go's words about text that is no JSON object: broken off, or wrong from its first character on. */
function unreadable(text: string): string {
  const [first = ""] = text.trimStart();
  if (first !== "" && !'{["tfn-0123456789'.includes(first))
    return `invalid character '${first}' looking for beginning of value`;
  return "unexpected end of JSON input";
}

const goStruct = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

const goKinds: Readonly<Record<string, string>> = lookup({
  string: "string",
  number: "number",
  bigint: "number",
  boolean: "bool",
});

/** Throws if the answer is JSON, but no object. */
function objectOf(value: unknown): unknown {
  if (value === null || (typeof value === "object" && !Array.isArray(value))) return value;
  const kind = goKinds[typeof value] ?? "array";
  throw new Error(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${kind} into Go value of type ${goStruct}`,
  );
}

interface Place {
  /** Host and port as written in the configuration. */
  readonly authority: string;
  readonly path: string;
  readonly servername: string;
  /** Throws if there is no address to connect to. */
  connect(store: Store): Address;
}

function locate({ url, service }: WebhookClientConfig): Place {
  if (url !== undefined) {
    const to = new URL(url);
    const { port, pathname, search, host: authority } = to;
    const host = hostOf(to);
    const connection = { host, port: Number(port || 443) };
    // Go's path.Join makes `//hook` `/hook`
    const path = posix.normalize(pathname) + search;
    return { authority, path, servername: isIP(host) === 0 ? host : "", connect: () => connection };
  }
  if (service === undefined) throw new Error("webhook configuration must have either service or URL");
  const { namespace, name, path = "/", port = 443 } = service;
  const servername = `${name}.${namespace}.svc`;
  const connect = (store: Store): Address => addressesOf(store, { namespace, name, port })[0] as Address;
  return { authority: `${servername}:${port}`, path: posix.join("/", path), servername, connect };
}

/** As Go does, trusts a serving certificate that is itself in the bundle. */
function trustOf({ caBundle = "" }: WebhookClientConfig): RequestOptions {
  return caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64"), allowPartialTrustChain: true };
}
