/** The logs of simulated containers as a kubelet serves them: with their options, and followed until the run ends. */
import { ConfigMap, newBadRequest, parseTime, type Pod, Secret, Service } from "../../api/index.js";
import { allContainers, containerStatus } from "../../api/pods/containers.js";
import { defined } from "../../base/defined.js";
import type { Client } from "../../client/index.js";
import type { Sources } from "../command/environment.js";
import { type ContainerLog, containerLog, type ContainerLogOptions } from "../container-log.js";
import { podIn, type PortContext } from "./context.js";

/** Reads the objects of which the pod's containers see parts; ones that are missing are left out. */
export async function sourcesOf(context: PortContext, pod: Pod, signal: AbortSignal): Promise<Sources> {
  const { client } = context;
  const { namespace = "" } = pod.metadata;
  const configMaps = new Map<string, ConfigMap>();
  const secrets = new Map<string, Secret>();
  const named = namesIn(pod);
  for (const name of named.configMaps) {
    const found = await client.resource(ConfigMap, { namespace }).getOrUndefined(name, { signal });
    if (found !== undefined) configMaps.set(name, found);
  }
  for (const name of named.secrets) {
    const found = await client.resource(Secret, { namespace }).getOrUndefined(name, { signal });
    if (found !== undefined) secrets.set(name, found);
  }
  const services = await servicesOf(client, pod, signal);
  return {
    services: () => services,
    configMap: (name) => configMaps.get(name),
    secret: (name) => secrets.get(name),
    allocatable: () => context.nodes.get(pod.spec?.nodeName ?? "")?.status?.allocatable ?? {},
  };
}

/** The API server's, and those of the pod's namespace unless the pod declines them. */
async function servicesOf(client: Client, { metadata, spec }: Pod, signal: AbortSignal): Promise<readonly Service[]> {
  const { namespace = "" } = metadata;
  const server = await client.resource(Service, { namespace: "default" }).getOrUndefined("kubernetes", { signal });
  const services =
    spec?.enableServiceLinks === false ? [] : (await client.resource(Service, { namespace }).list({ signal })).items;
  return server === undefined || namespace === "default" ? services : [server, ...services];
}

function namesIn({ spec }: Pod): { readonly configMaps: ReadonlySet<string>; readonly secrets: ReadonlySet<string> } {
  const { volumes = [] } = spec ?? {};
  const containers = allContainers(spec);
  const inFiles = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  const inVariables = containers.flatMap(({ envFrom = [] }) => envFrom);
  const inOneVariable = containers.flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom));
  const configMaps = [...volumes, ...inFiles]
    .map(({ configMap }) => configMap)
    .concat(inVariables.map(({ configMapRef }) => configMapRef))
    .concat(inOneVariable.map((from) => from?.configMapKeyRef));
  const secrets = inFiles
    .map(({ secret }) => secret)
    .concat(inVariables.map(({ secretRef }) => secretRef))
    .concat(inOneVariable.map((from) => from?.secretKeyRef));
  const named = (references: readonly ({ readonly name?: string } | undefined)[]): ReadonlySet<string> =>
    new Set(references.flatMap((one) => one?.name || []));
  const ofVolumes = volumes.map(({ secret }) => ({ name: secret?.secretName ?? "" }));
  return { configMaps: named(configMaps), secrets: named([...secrets, ...ofVolumes]) };
}

export interface LogRequest {
  readonly pod: Pod;
  readonly container: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

/** The pieces of the log. Throws a StatusError before the first if there is no such log. */
export async function readLog(
  { pod, container, query, signal }: LogRequest,
  context: PortContext,
): Promise<AsyncIterable<Uint8Array>> {
  const { followCommands, clock } = context;
  const sources = followCommands ? { sources: await sourcesOf(context, pod, signal) } : {};
  const options = { ...optionsOf(query, clock.now()), container, followCommands, ...sources };
  const written = containerLog(pod, options);
  const limit = numberOf(query, "limitBytes") ?? Number.POSITIVE_INFINITY;
  return withinLimit(
    pieces({ pod, container, options, written, signal, follows: query.get("follow") === "true" }, context),
    limit,
  );
}

interface Following {
  readonly pod: Pod;
  readonly container: string;
  readonly options: ContainerLogOptions;
  readonly written: ContainerLog;
  readonly signal: AbortSignal;
  readonly follows: boolean;
}

const lookEveryMs = 500;

/** The log so far, then new lines, until this run of the container has ended or the client has gone. */
async function* pieces(
  { pod, container, options, written, signal, follows }: Following,
  context: PortContext,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(written.text);
  let { ended, text } = written;
  const { namespace = "", name, uid } = pod.metadata;
  const whole = { ...options, tailLines: Number.MAX_SAFE_INTEGER };
  if (follows) ({ ended, text } = containerLog(pod, whole));
  while (follows && !ended) {
    try {
      await context.clock.sleep(lookEveryMs, signal);
    } catch {
      return;
    }
    const current = podIn(context, namespace, name);
    if (current === undefined || current.metadata.uid !== uid) return;
    const status = containerStatus(current.status, container);
    // another run of the container has a log of its own; here belongs the end of the one before
    const previous = status?.containerID !== containerStatus(pod.status, container)?.containerID;
    if (previous && status?.lastState?.terminated === undefined) return;
    const now = containerLog(current, { ...whole, previous, now: context.clock.now() });
    if (!now.text.startsWith(text)) return;
    if (now.text.length > text.length) yield encoder.encode(now.text.slice(text.length));
    ({ ended, text } = now);
  }
}

async function* withinLimit(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let left = limit;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

function optionsOf(query: URLSearchParams, now: number): ContainerLogOptions {
  const tailLines = numberOf(query, "tailLines");
  const seconds = numberOf(query, "sinceSeconds");
  const time = query.get("sinceTime");
  const since = time === null ? (seconds === undefined ? undefined : now - seconds * 1_000) : parseTime(time);
  return {
    now,
    previous: query.get("previous") === "true",
    timestamps: query.get("timestamps") === "true",
    ...defined({ tailLines, since }),
  };
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^\d+$/.test(text)) throw newBadRequest(`${name} must be a number, not ${JSON.stringify(text)}`);
  return Number(text);
}
