/** Sends one POST to another server, and gives its answer as text of a limited length. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { defined } from "../../base/defined.js";

const maxAnswerBytes = 3 * 1024 * 1024;

export interface PostAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** A server that this one calls, with the credentials for it: the facts of a kubeconfig. */
export interface HookEndpoint {
  /** http or https. */
  readonly url: string;
  /** The authorities of the server's certificate, in PEM; those of the machine if absent. */
  readonly ca?: string;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  readonly token?: string;
  readonly serverName?: string;
  readonly insecureSkipTlsVerify?: boolean;
}

/** Rejects with Node's error if no answer comes. */
export function post(options: RequestOptions, body: string, secure = true): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const sent = (secure ? httpsRequest : httpRequest)(options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) sent.destroy(new Error(`the answer is larger than ${maxAnswerBytes} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, type: headers["content-type"] ?? "", text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends JSON. */
export function postTo(endpoint: HookEndpoint, body: string, signal: AbortSignal): Promise<PostAnswer> {
  const { ca, clientCertificate, token, serverName, insecureSkipTlsVerify = false } = endpoint;
  const { protocol, hostname, port, pathname, search } = new URL(endpoint.url);
  const options = {
    method: "POST",
    host: hostname.replace(/^\[|\]$/g, ""),
    path: pathname + search,
    agent: false,
    signal,
    allowPartialTrustChain: true,
    rejectUnauthorized: !insecureSkipTlsVerify,
    headers: {
      accept: "application/json, */*",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "user-agent": "kube-apiserver",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...defined({ port: port || undefined, ca, servername: serverName }),
    ...defined({ cert: clientCertificate?.certificate, key: clientCertificate?.key }),
  };
  return post(options, body, protocol === "https:");
}
