/** Sends JSON to a server whose address and credentials stand in a kubeconfig. */
import { defined } from "../../base/defined.js";
import { authorizationOf, type HookEndpoint } from "../configuration/kubeconfig.js";
import type { KeptConnections } from "./kept-connections.js";
import { hostOf, type Received, send } from "./send.js";

interface PostOptions {
  readonly connections: KeptConnections;
  readonly signal: AbortSignal;
}

/** Rejects with Node's error if no answer comes. */
export function postTo(endpoint: HookEndpoint, body: string, { connections, signal }: PostOptions): Promise<Received> {
  const { ca, clientCertificate, serverName, insecureSkipTlsVerify = false } = endpoint;
  const url = new URL(endpoint.url);
  const isSecure = url.protocol === "https:";
  const options = {
    method: "POST",
    host: hostOf(url),
    path: url.pathname + url.search,
    agent: connections.agent(isSecure),
    signal,
    allowPartialTrustChain: true,
    rejectUnauthorized: !insecureSkipTlsVerify,
    headers: {
      accept: "application/json, */*",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "kube-apiserver",
      ...defined({ authorization: authorizationOf(endpoint) }),
    },
    ...defined({ port: url.port || undefined, ca, servername: serverName }),
    ...defined({ cert: clientCertificate?.certificate, key: clientCertificate?.key }),
  };
  return send(options, body, isSecure);
}
