/** A small extender over HTTP and HTTPS: labels of pods and nodes say how it answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { TLSSocket } from "node:tls";
import { type Node, Pod } from "../../../src/api/index.js";
import { systemClock } from "../../../src/base/index.js";
import { createAuthority } from "../../../src/base/x509/certificate.js";
import type { Client } from "../../../src/client/index.js";

export interface ExtenderAddresses {
  readonly url: string;
  /** Its certificate is for the name alone, and not for the address. */
  readonly secure: { readonly url: string; readonly serverName: string };
  /** In base64: the authority of both certificates, and a certificate for the user `scheduler`. */
  readonly caData: string;
  readonly certData: string;
  readonly keyData: string;
}

export interface ExtenderServer extends ExtenderAddresses, AsyncDisposable {}

interface Asked {
  readonly Pod?: Pod;
  readonly Nodes?: { readonly items: readonly Node[] };
  readonly NodeNames?: readonly string[];
  readonly NodeNameToVictims?: Readonly<Record<string, { readonly Pods: readonly Pod[] }>>;
  readonly NodeNameToMetaVictims?: Readonly<Record<string, { readonly Pods: readonly { readonly UID: string }[] }>>;
  readonly PodName?: string;
  readonly PodNamespace?: string;
  readonly PodUID?: string;
  readonly Node?: string;
}

type Answer = (asked: Asked, client: () => Client) => Promise<unknown>;

const nodesOf = ({ Nodes, NodeNames }: Asked): readonly string[] =>
  NodeNames ?? Nodes?.items.map(({ metadata }) => metadata.name) ?? [];

const label = ({ Pod: pod }: Asked, name: string): string => pod?.metadata.labels?.[name] ?? "";

const answers: Readonly<Record<string, Answer>> = {
  /** `refuse` and `never` name nodes, with dots between them. */
  async filter(asked) {
    if (label(asked, "fault") !== "") return { Error: label(asked, "fault") };
    const [refused, never] = ["refuse", "never"].map((name) => label(asked, name).split("."));
    const left = nodesOf(asked).filter((name) => !refused?.includes(name) && !never?.includes(name));
    const why = (list: readonly string[] | undefined, text: string): object =>
      Object.fromEntries(nodesOf(asked).flatMap((name) => (list?.includes(name) ? [[name, text]] : [])));
    return {
      ...(asked.NodeNames
        ? { NodeNames: left }
        : { Nodes: { items: asked.Nodes?.items.filter(({ metadata }) => left.includes(metadata.name)) } }),
      FailedNodes: why(refused, "the extender says no"),
      FailedAndUnresolvableNodes: why(never, "the extender says never"),
    };
  },
  /** `like` names a node. */
  async prioritize(asked) {
    return nodesOf(asked).map((name) => ({ Host: name, Score: name === label(asked, "like") ? 10 : 0 }));
  },
  /** `spare` names a node whose pods stay. */
  async preempt(asked) {
    const spared = label(asked, "spare");
    const named = Object.entries(asked.NodeNameToMetaVictims ?? {});
    const whole = Object.entries(asked.NodeNameToVictims ?? {}).map(([node, { Pods }]) => [
      node,
      { Pods: Pods.map(({ metadata }) => ({ UID: metadata.uid })) },
    ]);
    return { NodeNameToMetaVictims: Object.fromEntries([...named, ...whole].filter(([node]) => node !== spared)) };
  },
  async bind({ PodName: name = "", PodNamespace: namespace = "", PodUID: uid = "", Node: node = "" }, client) {
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid, annotations: { by: "extender" } },
      target: { kind: "Node", name: node },
    } as const;
    await client().resource(Pod).subresource("binding").create(binding.metadata, binding);
    return {};
  },
};

const serverName = "extender.example.com";

/** Any other path is answered with status 500. */
export async function startExtender(client: () => Client): Promise<ExtenderServer> {
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    void answer(request, response, client).catch((error: unknown) =>
      response.end(JSON.stringify({ Error: String(error) })),
    );
  };
  const authority = createAuthority({ commonName: "extenders", now: systemClock.now() });
  const { key, certificate: cert } = authority.issue({ commonName: "e", use: "server", hosts: [serverName] });
  const user = authority.issue({ commonName: "scheduler", use: "client" });
  const tls = { key, cert, ca: authority.certificate, requestCert: true, rejectUnauthorized: false };
  const [plain, secure] = [createServer(serve), createSecureServer(tls, serve)];
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return {
    url: `http://${await listening(plain)}`,
    secure: { url: `https://${await listening(secure)}`, serverName },
    caData: base64(authority.certificate),
    certData: base64(user.certificate),
    keyData: base64(user.key),
    async [Symbol.asyncDispose]() {
      for (const server of [plain, secure]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

async function answer(request: IncomingMessage, response: ServerResponse, client: () => Client): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
  if (request.url?.endsWith("/caller")) {
    const caller = request.socket instanceof TLSSocket ? request.socket.getPeerCertificate().subject?.CN : undefined;
    response.end(JSON.stringify({ Error: `the caller is ${caller ?? "nobody"}` }));
    return;
  }
  const act = answers[request.url?.split("/").at(-1) ?? ""];
  if (act === undefined) {
    response.statusCode = 500;
    response.end();
    return;
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(await act(asked, client)));
}
