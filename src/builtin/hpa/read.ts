/** Reads an autoscaler's target and metrics from the server: takes a client, gives scales and readings. */
import {
  type CrossVersionObjectReference,
  durationToMs,
  goQuote,
  isNotFound,
  type KubeObject,
  type LabelSelector,
  labelSelectorAsSelector,
  type MetricSpec,
  NoKindMatchError,
  ParseError,
  parseGroupVersion,
  parseLabelSelector,
  parseTime,
  type ResourceType,
  type Selector,
} from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import type { Client, ResourceClient, Scale, WorkClient } from "../../client/index.js";
import { serverWords } from "../pods/pod-control.js";
import type { Reading } from "./metrics.js";
import { milliOf, wrapped } from "./numbers.js";
import type { PodReading } from "./pods.js";
import { goSelector } from "../kit/selector.js";

export interface Reader {
  /** For metrics, which are no resources. */
  readonly client: Client;
  /** The client of the run that writes the scale. */
  readonly work: WorkClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

export interface ScaleTarget {
  readonly scale: Scale;
  /** Undefined if the scale names none. */
  readonly selector: Selector | undefined;
  readonly resource: ResourceClient<KubeObject>;
}

/** Throws an Error in upstream's words if the kind is unknown, has no scale or a faulty one, or the object is not there. */
export async function readTarget(
  { apiVersion = "", kind, name }: CrossVersionObjectReference,
  reader: Reader,
): Promise<ScaleTarget> {
  const { group } = parseGroupVersion(apiVersion);
  const type = await findType({ group, kind }, reader);
  if (!type.subresources.includes("scale")) throw new Error("the server could not find the requested resource");
  const resource = reader.work.resource(type as ResourceType<KubeObject>, { namespace: reader.namespace });
  const scale = await resource.scale.get(name);
  return { scale, selector: selectorOf(scale), resource };
}

function selectorOf({ status }: Scale): Selector | undefined {
  const text = status?.selector ?? "";
  if (text === "") return undefined;
  try {
    return parseLabelSelector(text);
  } catch (error) {
    const why = error instanceof ParseError ? error.reason : messageOf(error);
    const fault = `failed to parse target selector: couldn't parse the selector string ${goQuote(text)}: ${why}`;
    throw new Error(
      `received an object from a /scale endpoint which was not convertible to autoscaling Scale: ${fault}`,
      { cause: error },
    );
  }
}

async function findType(
  { group, kind }: { readonly group: string; readonly kind: string },
  { client, signal }: Reader,
): ReturnType<Client["discovery"]["findKind"]> {
  try {
    return await client.discovery.findKind({ group, kind }, { signal });
  } catch (error) {
    if (!(error instanceof NoKindMatchError)) throw error;
    throw new Error(`no matches for kind "${kind}" in group "${group}"`, { cause: error });
  }
}

/** The reading of one metric of the pods that the selector matches. Fails only if it is aborted. */
export async function readMetric(metric: MetricSpec, selector: string, reader: Reader): Promise<Reading> {
  try {
    return await reading(metric, selector, reader);
  } catch (error) {
    if (reader.signal.aborted) throw error;
    return { type: "none", problem: serverWords(error) };
  }
}

function reading(metric: MetricSpec, selector: string, reader: Reader): Promise<Reading> {
  const { type, resource, containerResource, pods, object, external } = metric;
  if (type === "Resource") return resourceReading(resource?.name ?? "", { selector, container: "" }, reader);
  if (type === "ContainerResource") {
    const { name = "", container = "" } = containerResource ?? {};
    return resourceReading(name, { selector, container }, reader);
  }
  if (type === "Pods" && pods !== undefined) return podsReading(pods.metric, selector, reader);
  if (type === "Object" && object !== undefined) return objectReading(object, reader);
  if (external !== undefined) return externalReading(external.metric, reader);
  throw new Error(`unknown metric source type ${JSON.stringify(type)}`);
}

/** As another server may send it: members may be absent, and values are read with care. */
interface PodMetrics {
  readonly metadata?: { readonly name?: string };
  readonly timestamp?: unknown;
  readonly window?: unknown;
  readonly containers?: readonly { readonly name?: string; readonly usage?: Readonly<Record<string, unknown>> }[];
}

async function resourceReading(
  resource: string,
  { selector, container }: { readonly selector: string; readonly container: string },
  reader: Reader,
): Promise<Reading> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${reader.namespace}/pods`;
  const items = await ask<PodMetrics>(reader, {
    path,
    query: { labelSelector: selector },
    api: "resource metrics API",
    missing: "the server could not find the requested resource (get pods.metrics.k8s.io)",
  });
  const values = new Map<string, PodReading>();
  for (const { metadata, timestamp, window, containers = [] } of items) {
    const counted = container === "" ? containers : containers.filter(({ name }) => name === container);
    const amounts = counted.map(({ usage }) => usage?.[resource]);
    if (amounts.length === 0 || amounts.includes(undefined)) continue;
    const value = amounts.reduce<bigint>((sum, text) => wrapped(sum + valueOf(text)), 0n);
    values.set(metadata?.name ?? "", { value, timestamp: timeOf(timestamp), windowMs: durationOf(window) });
  }
  return { type: "pods", values };
}

interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector;
}

interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: unknown;
  readonly windowSeconds?: number;
  readonly value?: unknown;
}

const customRoot = "/apis/custom.metrics.k8s.io/v1beta2";

/** The window of a metric that tells none. */
const defaultWindowMs = 60_000;

function customValues(path: string, query: Readonly<Record<string, string>>, reader: Reader): Promise<MetricValue[]> {
  const missing = "no custom metrics API (custom.metrics.k8s.io) registered";
  return ask<MetricValue>(reader, { path: `${customRoot}/${path}`, query, api: "custom metrics API", missing });
}

async function podsReading(metric: MetricIdentifier, selector: string, reader: Reader): Promise<Reading> {
  const query = { labelSelector: selector, metricLabelSelector: selectorText(metric.selector) };
  const items = await customValues(`namespaces/${reader.namespace}/pods/*/${segment(metric.name)}`, query, reader);
  const values = items.map(({ describedObject, value, timestamp, windowSeconds }) => {
    const windowMs = windowSeconds === undefined ? defaultWindowMs : windowSeconds * 1_000;
    return [describedObject?.name ?? "", { value: valueOf(value), timestamp: timeOf(timestamp), windowMs }] as const;
  });
  return { type: "pods", values: new Map(values) };
}

async function objectReading(
  {
    metric,
    describedObject,
  }: { readonly metric: MetricIdentifier; readonly describedObject: CrossVersionObjectReference },
  reader: Reader,
): Promise<Reading> {
  const { apiVersion = "", kind, name } = describedObject;
  const { namespace } = reader;
  try {
    const { group } = parseGroupVersion(apiVersion);
    const ofNamespace = kind === "Namespace" && group === "";
    const type = ofNamespace ? undefined : await findType({ group, kind }, reader);
    const resource = type?.group ? `${type.plural}.${type.group}` : type?.plural;
    const subject = resource === undefined ? "metrics" : `${resource}/${segment(name)}`;
    const query = { metricLabelSelector: selectorText(metric.selector) };
    const path = `namespaces/${namespace}/${subject}/${segment(metric.name)}`;
    const [first] = await customValues(path, query, reader);
    return { type: "object", value: valueOf(first?.value) };
  } catch (error) {
    // the words stand in upstream's order
    const why = `${kind} on ${namespace} ${name}/${serverWords(error)}`;
    throw new Error(`unable to get metric ${metric.name}: ${why}`, { cause: error });
  }
}

async function externalReading({ name, selector }: MetricIdentifier, reader: Reader): Promise<Reading> {
  const { namespace } = reader;
  try {
    const items = await ask<MetricValue>(reader, {
      path: `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${segment(name)}`,
      query: { labelSelector: selectorText(selector) },
      api: "external metrics API",
      missing: `the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`,
    });
    return { type: "external", values: items.map(({ value }) => valueOf(value)) };
  } catch (error) {
    const what = `${namespace}/${name}/${goSelector(selector)}`;
    throw new Error(`unable to get external metric ${what}: ${serverWords(error)}`, { cause: error });
  }
}

interface Question {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The name of the API, for messages. */
  readonly api: string;
  /** The message where the server does not have the API. */
  readonly missing: string;
}

/** The items of a list of metrics, of which there is at least one. */
async function ask<T extends object>(
  { client, signal }: Reader,
  { path, query, api, missing }: Question,
): Promise<T[]> {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const url = given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
  let items: T[];
  try {
    items = itemsIn(await client.getText(url, { signal, accept: "application/json" })) as T[];
  } catch (error) {
    if (signal.aborted) throw error;
    const isUnknown = isNotFound(error) && /404 page not found|requested resource/.test(serverWords(error));
    const why = isUnknown ? missing : serverWords(error);
    throw new Error(`unable to fetch metrics from ${api}: ${why}`, { cause: error });
  }
  if (items.length === 0) throw new Error(`no metrics returned from ${api}`);
  return items;
}

/** Throws if the answer of another server is no list of objects. */
function itemsIn(text: string): readonly object[] {
  const { items = [] } = Object(JSON.parse(text)) as { items?: unknown };
  if (Array.isArray(items) && items.every((item) => typeof item === "object" && item !== null)) return items;
  throw new Error("the answer is no list of metrics");
}

const segment = (text: string): string => encodeURIComponent(text);

const selectorText = (selector: LabelSelector | undefined): string =>
  selector === undefined ? "" : String(labelSelectorAsSelector(selector));

/** Absent values are zero, as they are for upstream's decoder; a value of another type is an error. */
const valueOf = (value: unknown = "0"): bigint => milliOf(typeof value === "number" ? String(value) : textOf(value));
const timeOf = (value: unknown): number => (value === undefined ? 0 : parseTime(textOf(value)));
const durationOf = (value: unknown): number => (value === undefined ? 0 : durationToMs(textOf(value)));

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Error(`a text was expected, and not ${JSON.stringify(value)}`);
}
