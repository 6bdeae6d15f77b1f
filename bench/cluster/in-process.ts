/** Every part of `coxswain up` in this process, without sockets; and the work and the waits of its benchmarks. */
import { Deployment, type Draft, type KubeObject, type Node, type Pod } from "../../src/api/index.js";
import { startApiServer } from "../../src/apiserver/index.js";
import { Lifetime, MetricsRegistry, silentLogger } from "../../src/base/index.js";
import { builtInControllers, selectControllers } from "../../src/builtin/index.js";
import { startParts } from "../../src/cli/parts.js";
import type { Client } from "../../src/client/index.js";
import type { SharedIndexInformer, SharedInformerFactory } from "../../src/informer/index.js";

interface InProcess extends AsyncDisposable {
  readonly client: Client;
  readonly informers: SharedInformerFactory;
}

export async function startInProcess(nodes: number): Promise<InProcess> {
  const lifetime = new Lifetime();
  const metrics = new MetricsRegistry();
  const server = lifetime.use(await startApiServer({ metrics }));
  const controllers = selectControllers(["*"], builtInControllers);
  const credentials = { tokenKey: server.tokenKey() };
  const options = { controllers, nodes, speed: 1, scheduler: true, metrics, log: silentLogger, credentials };
  const { client, informers } = lifetime.use(await startParts(server, options, new AbortController().signal));
  return { client, informers, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
}

export function deployment(
  name: string,
  replicas: number,
  requests?: Readonly<Record<string, string>>,
): Draft<Deployment> {
  const labels = { app: name };
  const container = { name: "web", image: "nginx", ...(requests && { resources: { requests } }) };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

export async function createAll(client: Client, deployments: readonly Draft<Deployment>[]): Promise<void> {
  await Promise.all(deployments.map((one) => client.resource(Deployment).create(one)));
}

export async function deleteAll(client: Client): Promise<void> {
  await client.resource(Deployment, { namespace: "default" }).deleteCollection({ propagationPolicy: "Background" });
}

/** Is told of every event, and says when it has seen enough of them. */
export type IsEnough = (type: "ADDED" | "MODIFIED" | "DELETED", object?: KubeObject) => boolean;

/** Enough when this number of objects have been ready. */
export function haveBeenReady(wanted: number): IsEnough {
  const ready = new Set<string>();
  return (_type, object) => {
    if (object !== undefined && isReady(object)) ready.add(object.metadata.name);
    return ready.size >= wanted;
  };
}

/** Enough when this number of objects are gone. */
export function areGone(wanted: number): IsEnough {
  let gone = 0;
  return (type) => {
    if (type === "DELETED") gone++;
    return gone >= wanted;
  };
}

function isReady(object: KubeObject): boolean {
  const { conditions = [] } = (object as Pod | Node).status ?? {};
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** Does the work, and resolves when the informer's handler has seen enough. */
export async function told<T extends KubeObject>(
  informer: SharedIndexInformer<T>,
  isEnough: IsEnough,
  work: () => Promise<unknown> = async () => {},
): Promise<void> {
  let enough = (): void => {};
  const seen = new Promise<void>((resolve) => (enough = resolve));
  const tell = (...event: Parameters<IsEnough>): void => {
    if (isEnough(...event)) enough();
  };
  using _ = informer.addEventHandler({
    onAdd: (object) => tell("ADDED", object),
    onUpdate: (_old, object) => tell("MODIFIED", object),
    onDelete: () => tell("DELETED"),
  });
  await work();
  await seen;
}

/** The milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
