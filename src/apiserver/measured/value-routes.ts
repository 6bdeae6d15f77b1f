/** custom.metrics.k8s.io and external.metrics.k8s.io: takes the metrics of a MetricValues, gives their groups' routes. */
import {
  apiVersionOf,
  formatTime,
  type KubeObject,
  newBadRequest,
  newMethodNotSupported,
  newNotFound,
  parseLabelSelector,
  type Selector,
  StatusError,
} from "../../api/index.js";
import { type HttpResponse, messageOf } from "../../base/index.js";
import { type Endpoint, namespaced } from "../contracts/endpoint.js";
import type { ResourceRequest } from "../contracts/request.js";
import type { ServedGroup, ServedResource } from "../contracts/served.js";
import { valueAnswer } from "../http/answers/answer.js";
import { type Exchange, outputOf } from "../http/exchange.js";
import type { GroupRoute } from "../http/route.js";
import type { Registry } from "../registry/registry.js";
import { type MetricReading, type MetricValues, readingOf } from "./values.js";
import { defined } from "../../base/defined.js";

const custom = "custom.metrics.k8s.io";
const external = "external.metrics.k8s.io";

/** The groups as discovery lists them now. */
export function valueGroups(values: MetricValues): readonly ServedGroup[] {
  const names = new Set([...values.customMetrics].map(({ resource, name }) => `${resource}/${name}`));
  const customIn = (version: string): ServedGroup["versions"][number] => ({
    version,
    resources: [...names].sort().map((plural) => {
      const scope = /^(nodes|namespaces|persistentvolumes)\//.test(plural) ? "Cluster" : "Namespaced";
      return resourceOf({ group: custom, version, kind: "MetricValueList", plural, scope });
    }),
  });
  const outside = [...new Set([...values.externalMetrics].map(({ name }) => name))].sort();
  const kind = "ExternalMetricValueList";
  const resources = outside.map((plural) =>
    resourceOf({ group: external, version: "v1beta1", kind, plural, scope: "Namespaced" }),
  );
  return [
    { group: custom, versions: [customIn("v1beta2"), customIn("v1beta1")] },
    { group: external, versions: [{ version: "v1beta1", resources }] },
  ];
}

function resourceOf(names: Pick<ServedResource, "group" | "version" | "kind" | "plural" | "scope">): ServedResource {
  return {
    ...names,
    singular: "",
    listKind: names.kind,
    shortNames: [],
    categories: [],
    verbs: ["get"],
    subresources: [],
  };
}

export const valueRoutes = (values: MetricValues): ReadonlyMap<string, GroupRoute> =>
  new Map([
    [custom, ({ exchange, info }) => customAnswer(values, exchange, info)],
    [external, ({ exchange, info }) => externalAnswer(values, exchange, info)],
  ]);

/** The subject of a request: one object, or (`*`) those of a resource that a selector matches. */
interface Subject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly metric: string;
}

function subjectOf({ resource, namespace, inNamespace, name, subresource }: ResourceRequest): Subject {
  // the metrics of a namespace itself
  if (inNamespace && resource === "metrics") {
    return { resource: "namespaces", namespace: "", name: namespace, metric: name };
  }
  return { resource, namespace, name, metric: subresource };
}

function customAnswer(values: MetricValues, exchange: Exchange, info: ResourceRequest): HttpResponse {
  requireGet(info);
  const { resource, namespace, name, metric } = subjectOf(info);
  const { query, machinery, registry } = exchange;
  const now = machinery.clock.now();
  const metrics = [...values.customMetrics].filter((one) => one.resource === resource && one.name === metric);
  const endpoint = endpointOf(registry, resource);
  if (metrics.length === 0 || endpoint === undefined) throw metricNotFound(metric, resource, name);
  const wanted = selectorOf(query.get("metricLabelSelector"));
  const objects = subjects(exchange, endpoint, { resource, namespace, name, metric });
  const items = objects.flatMap((object) =>
    metrics
      .filter(({ labels = {} }) => wanted.matches(labels))
      .flatMap((one) => {
        const reading = one.valueOf(object, now);
        if (reading === undefined) return [];
        return [customValue({ object, metric, version: info.version, reading, now, endpoint })];
      }),
  );
  if (items.length === 0) throw metricNotFound(metric, resource, name);
  const { group, version } = info;
  const list = { kind: "MetricValueList", apiVersion: apiVersionOf({ group, version }), metadata: {}, items };
  return answer(exchange, list);
}

interface CustomValue {
  readonly object: KubeObject;
  readonly endpoint: Endpoint;
  readonly metric: string;
  readonly version: string;
  readonly reading: MetricReading;
  readonly now: number;
}

function customValue({ object, endpoint, metric, version, reading, now }: CustomValue): object {
  const { kind } = endpoint.served;
  const { name, namespace } = object.metadata;
  const { timestamp: at, ...rest } = readingOf(metric, reading, now);
  return {
    describedObject: {
      kind,
      ...defined({ namespace: namespace || undefined }),
      name,
      apiVersion: apiVersionOf(endpoint.served),
    },
    ...(version === "v1beta1" ? { metricName: metric } : { metric: { name: metric, selector: null } }),
    timestamp: formatTime(at),
    ...rest,
    ...(version === "v1beta1" ? { selector: null } : {}),
  };
}

function endpointOf(registry: Registry, resource: string): Endpoint | undefined {
  const [plural = "", ...group] = resource.split(".");
  for (const endpoint of registry.endpoints()) {
    if (endpoint.served.plural === plural && endpoint.served.group === group.join(".")) return endpoint;
  }
  return undefined;
}

function subjects(
  { machinery: { store }, query }: Exchange,
  endpoint: Endpoint,
  { namespace, name, resource, metric }: Subject,
): readonly KubeObject[] {
  const home = namespaced(endpoint) ? `${namespace}/` : "";
  const { collection } = endpoint;
  if (name !== "*") {
    const found = store.get(collection, `${home}${name}`);
    if (found === undefined) throw metricNotFound(metric, resource, name);
    return [endpoint.view(found).object];
  }
  const selector = selectorOf(query.get("labelSelector"));
  return store
    .list({ collection, prefix: home, from: "" })
    .items.filter(({ labels }) => selector.matches(labels))
    .map((stored) => endpoint.view(stored).object);
}

function externalAnswer(values: MetricValues, exchange: Exchange, info: ResourceRequest): HttpResponse {
  requireGet(info);
  const { group, version, namespace, resource: name } = info;
  const now = exchange.machinery.clock.now();
  const selector = selectorOf(exchange.query.get("labelSelector"));
  const items = [...values.externalMetrics].flatMap((metric) => {
    const { labels = {} } = metric;
    const isHere = metric.namespace === undefined || metric.namespace === namespace;
    const reading = metric.name === name && isHere && selector.matches(labels) ? metric.value(now) : undefined;
    if (reading === undefined) return [];
    const { timestamp: at, ...rest } = readingOf(name, reading, now);
    return [{ metricName: name, metricLabels: labels, timestamp: formatTime(at), ...rest }];
  });
  const list = { kind: "ExternalMetricValueList", apiVersion: apiVersionOf({ group, version }), metadata: {}, items };
  return answer(exchange, list);
}

function answer(exchange: Exchange, list: object): HttpResponse {
  const output = outputOf(exchange, { custom: true, transforms: false });
  return valueAnswer(200, list as KubeObject, output);
}

function requireGet({ verb, group, resource }: ResourceRequest): void {
  if (verb !== "get" && verb !== "list") throw newMethodNotSupported({ group, resource }, verb);
}

function selectorOf(text: string | null): Selector {
  try {
    return parseLabelSelector(text ?? "");
  } catch (error) {
    throw newBadRequest(messageOf(error));
  }
}

function metricNotFound(metric: string, resource: string, name: string): StatusError {
  const { status } = newNotFound({ group: "", resource }, name);
  const whom = name === "*" ? resource : `${resource} ${name}`;
  return new StatusError({ ...status, message: `the server could not find the metric ${metric} for ${whom}` });
}
