/** metrics.k8s.io: the usage of nodes and pods, measured when it is asked for and not stored. */
import { defined } from "../../base/defined.js";
import {
  apiVersionOf,
  formatDuration,
  formatTime,
  type KubeObject,
  newNotFound,
  type Node,
  type Pod,
  Quantity,
} from "../../api/index.js";
import { type Endpoint, storageKey } from "../contracts/endpoint.js";
import type { FieldManager } from "../contracts/field-manager.js";
import type { ServedGroup, ServedResource } from "../contracts/served.js";
import type { TableRenderer } from "../contracts/table.js";
import { listAnswer, objectAnswer } from "../http/answers/answer.js";
import { readScope, shownBy } from "../http/exchange.js";
import type { VerbRequest, Verb } from "../http/verbs.js";
import { getObject, listObjects } from "../registry/read/list.js";
import { listOptions } from "../registry/read/list-options.js";
import { unstoredView } from "../registry/write/create.js";
import { objectsIn, type Stored } from "../storage/contract.js";
import { unstoredEndpoint } from "./endpoint.js";

interface Amounts {
  /** Cores. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

/** The time of a measurement, and the length of the interval before it that it is about, in milliseconds. */
interface Moment {
  readonly timestamp: number;
  readonly windowMs: number;
}

/** The measurements of one moment; undefined for a pod or node of which there is none. */
export interface Measurements {
  pod(pod: Pod): (Moment & { readonly containers: readonly (Amounts & { readonly name: string })[] }) | undefined;
  node(node: Node): (Moment & Amounts) | undefined;
}

/** Measures at a time, given all pods of the cluster. */
export type UsageSource = (pods: readonly Pod[], now: number) => Measurements;

const group = "metrics.k8s.io";
const version = "v1beta1";

function served(plural: string, kind: string, scope: ServedResource["scope"]): ServedResource {
  const names = { group, version, kind, plural, singular: "", listKind: `${kind}List`, scope };
  return { ...names, shortNames: [], categories: [], verbs: ["get", "list"], subresources: [] };
}

const nodes = served("nodes", "NodeMetrics", "Cluster");
const pods = served("pods", "PodMetrics", "Namespaced");

export const usageGroup: ServedGroup = { group, versions: [{ version, resources: [nodes, pods] }] };

export const usageEndpoints = (fieldManager: FieldManager): readonly Endpoint[] => [
  unstoredEndpoint(nodes, { collection: "nodes", fieldManager, table: usageTable(({ usage }) => usage ?? nothing) }),
  unstoredEndpoint(pods, {
    collection: "pods",
    fieldManager,
    table: usageTable(({ containers = [] }) => ({
      cpu: String(sumOf(containers.map(({ usage }) => usage.cpu))),
      memory: String(sumOf(containers.map(({ usage }) => usage.memory))),
    })),
  }),
];

export const usageVerbs = (source: UsageSource): ReadonlyMap<string, Verb> =>
  new Map([
    [`${group}/nodes`, usageVerb(source, nodeMetrics)],
    [`${group}/pods`, usageVerb(source, podMetrics)],
  ]);

/** Makes the metrics of an object; undefined if it was not measured. */
type Describe = (object: KubeObject, measured: Measurements) => object | undefined;

interface UsageTexts {
  readonly cpu: string;
  readonly memory: string;
}

interface Shown extends KubeObject {
  readonly window: string;
  readonly usage?: UsageTexts;
  readonly containers?: readonly { readonly name: string; readonly usage: UsageTexts }[];
}

function usageVerb(source: UsageSource, describe: Describe): Verb {
  return async (operation) => {
    const { exchange, endpoint, info } = operation;
    const { store, clock } = exchange.machinery;
    const measure = (): Measurements => {
      return source(objectsIn<Pod>(store, "pods"), clock.now());
    };
    const shownAs = (object: KubeObject, measured: Measurements): KubeObject | undefined => {
      const described = describe(object, measured);
      return described && { ...head(endpoint, object, clock.now()), ...described };
    };
    if (info.verb === "get") {
      const { namespace, name } = info;
      const home = { ...endpoint, served: { ...endpoint.served, group: "" } };
      const { object } = await getObject(home, { namespace, name, resourceVersion: "" }, readScope(exchange));
      const metrics = shownAs(object, measure());
      if (metrics === undefined) throw notMeasured(endpoint, storageKey(namespace, name));
      return objectAnswer(200, unstoredView(metrics), shownBy(exchange, endpoint));
    }
    const shown = shownBy(exchange, endpoint, true);
    const page = await selected(operation);
    const measured = measure();
    const items = page.items.flatMap(({ object, ...stored }) => {
      const metrics = shownAs(object, measured);
      return metrics === undefined ? [] : [{ ...stored, ...unstoredView(metrics) } satisfies Stored];
    });
    return listAnswer({ ...page, items }, shown);
  };
}

const notMeasured = ({ served: { kind } }: Endpoint, name: string): Error =>
  newNotFound({ group, resource: kind.toLowerCase() }, name);

function selected({ exchange, endpoint, info }: VerbRequest): ReturnType<typeof listObjects> {
  const { labels, fields } = listOptions(exchange.query, "list");
  const options = { ...listOptions(new URLSearchParams(), "list"), labels, fields };
  return listObjects(endpoint, info.namespace, { options, scope: readScope(exchange) });
}

function head({ served: { kind } }: Endpoint, { metadata }: KubeObject, now: number): KubeObject {
  const { name, namespace, labels } = metadata;
  return {
    kind,
    apiVersion: apiVersionOf({ group, version }),
    metadata: {
      name,
      ...defined({ namespace }),
      creationTimestamp: formatTime(now),
      ...defined({ labels }),
    },
  };
}

const nodeMetrics: Describe = (object, measured) => {
  const usage = measured.node(object as Node);
  return usage && { ...momentOf(usage), usage: textsOf(usage) };
};

const podMetrics: Describe = (object, measured) => {
  const usage = measured.pod(object as Pod);
  if (usage === undefined) return undefined;
  return { ...momentOf(usage), containers: usage.containers.map((one) => ({ name: one.name, usage: textsOf(one) })) };
};

const momentOf = (moment: Moment): { readonly timestamp: string; readonly window: string } => ({
  timestamp: formatTime(moment.timestamp),
  window: formatDuration(BigInt(Math.round(moment.windowMs)) * 1_000_000n),
});

/** Memory is measured in pages, so its amount is a whole number of KiB. */
const textsOf = ({ cpu, memory }: Amounts): UsageTexts => ({
  cpu: String(Quantity.of(Math.round(cpu * 1e9), { exponent: -9 })),
  memory: String(Quantity.of(Math.round(memory / 1024) * 1024, { format: "BinarySI" })),
});

const nothing: UsageTexts = { cpu: "0", memory: "0" };

const sumOf = (texts: readonly string[]): Quantity =>
  texts.reduce((sum, text) => sum.add(Quantity.parse(text)), Quantity.zero);

const column = (name: string, format: string, description = ""): TableRenderer["columns"][number] => ({
  name,
  type: "string",
  format,
  description,
  priority: 0,
});

function usageTable(usageOf: (shown: Shown) => UsageTexts): TableRenderer {
  return {
    columns: [
      column("Name", "name", "Name of the resource"),
      column("cpu", "quantity"),
      column("memory", "quantity"),
      column("Window", "duration"),
    ],
    cells(object) {
      const { cpu, memory } = usageOf(object as Shown);
      return [object.metadata.name, cpu, memory, (object as Shown).window];
    },
  };
}
