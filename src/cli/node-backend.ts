/**
 * Stands for simulated nodes behind the embedded server: serves their pods' logs, and explains why nothing can be
 * executed in them.
 */
import { defined } from "../base/defined.js";
import { type ConfigMap, newBadRequest, type Node, parseTime, type Pod, type Secret } from "../api/index.js";
import type { ApiServerOptions } from "../apiserver/index.js";
import type { HttpResponse } from "../base/index.js";
import {
  type ContainerLog,
  containerLog,
  isPoweredOn,
  isSimulated,
  type ContainerLogOptions,
} from "../machines/index.js";

type NodeBackend = NonNullable<ApiServerOptions["nodes"]>;
type Operation = Parameters<NodeBackend>[0];

/** A node that is not simulated, or is powered off, cannot be reached. */
export function simulatedNodeBackend({ followCommands }: { readonly followCommands: boolean }): NodeBackend {
  return (operation, nodeName) => {
    const node = stored<Node>(operation, "nodes", nodeName);
    if (node === undefined || !isSimulated(node) || !isPoweredOn(node)) return undefined;
    return operation.info.subresource === "log" ? log(operation, followCommands) : refuse(operation);
  };
}

function stored<T>({ exchange }: Operation, resource: string, key: string): T | undefined {
  return exchange.machinery.store.get(resource, key)?.object as T | undefined;
}

const podOf = (operation: Operation): Pod | undefined =>
  stored<Pod>(operation, "pods", `${operation.info.namespace}/${operation.info.name}`);

async function refuse({ info }: Operation): Promise<HttpResponse> {
  throw newBadRequest(
    `pod ${info.name} is simulated: no program runs in it, so there is nothing to ${info.subresource} (its logs can be read)`,
  );
}

/** The objects from which a pod's environment may be taken. */
function sourcesOf(operation: Operation, { metadata, spec }: Pod): NonNullable<ContainerLogOptions["sources"]> {
  const named = (name: string): string => `${metadata.namespace}/${name}`;
  return {
    configMap: (name) => stored<ConfigMap>(operation, "configmaps", named(name))?.data,
    secret: (name) => {
      const data = Object.entries(stored<Secret>(operation, "secrets", named(name))?.data ?? {});
      return Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));
    },
    allocatable: () => stored<Node>(operation, "nodes", spec?.nodeName ?? "")?.status?.allocatable ?? {},
  };
}

async function log(operation: Operation, followCommands: boolean): Promise<HttpResponse> {
  const { query, machinery, signal } = operation.exchange;
  const pod = podOf(operation);
  if (pod === undefined) throw newBadRequest(`pod ${operation.info.name} is gone`);
  const asked = optionsOf(query, machinery.clock.now());
  const options = { ...asked, followCommands, sources: sourcesOf(operation, pod) };
  const written = containerLog(pod, options);
  const bytes = new TextEncoder().encode(written.text);
  const limit = numberOf(query, "limitBytes");
  const body =
    query.get("follow") === "true" && !written.ended && limit === undefined
      ? follow(operation, { options, written, signal })
      : bytes.subarray(0, limit ?? bytes.length);
  return { status: 200, headers: { "content-type": "text/plain" }, body };
}

interface Following {
  readonly options: ContainerLogOptions;
  readonly written: ContainerLog;
  readonly signal: AbortSignal;
}

const lookEveryMs = 500;

/** The log so far, then new lines, until this run of the container has ended or the client has gone. */
async function* follow(operation: Operation, { options, written, signal }: Following): AsyncGenerator<Uint8Array> {
  const { clock } = operation.exchange.machinery;
  const encoder = new TextEncoder();
  yield encoder.encode(written.text);
  let { ended, text } = written;
  while (!ended) {
    try {
      await clock.sleep(lookEveryMs, signal);
    } catch {
      return;
    }
    const pod = podOf(operation);
    if (pod === undefined) return;
    const now = containerLog(pod, { ...options, now: clock.now(), tailLines: Number.MAX_SAFE_INTEGER });
    // another run of the container has a log of its own
    if (!now.text.startsWith(text)) return;
    if (now.text.length > text.length) yield encoder.encode(now.text.slice(text.length));
    ({ ended, text } = now);
  }
}

function optionsOf(query: URLSearchParams, now: number): ContainerLogOptions {
  const container = query.get("container") ?? undefined;
  const tailLines = numberOf(query, "tailLines");
  const seconds = numberOf(query, "sinceSeconds");
  const time = query.get("sinceTime");
  const since = time === null ? (seconds === undefined ? undefined : now - seconds * 1_000) : parseTime(time);
  return {
    now,
    previous: query.get("previous") === "true",
    timestamps: query.get("timestamps") === "true",
    ...defined({ container, tailLines, since }),
  };
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^\d+$/.test(text)) throw newBadRequest(`${name} must be a number, not ${JSON.stringify(text)}`);
  return Number(text);
}
