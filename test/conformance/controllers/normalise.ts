/**
 * Makes the states of two clusters comparable: names with hashes or random endings, uids, times and addresses become
 * words for the things that they stand for. Takes the objects of a namespace, gives texts.
 */
import type { KubeObject } from "../../../src/api/index.js";
import type { Observer, Seen } from "./observer.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface NormaliseOptions {
  /** Whether the node of a pod is part of the result. */
  readonly nodes?: boolean;
  /** The label `own` of nodes that are part of the result, together with their events. */
  readonly ownNodes?: string;
  /** Kinds without a namespace whose objects are part of the result if they name the scenario. */
  readonly clusterKinds?: readonly string[];
}

/**
 * Components whose events are not compared, because they are the same on both sides or run on one side only; the last
 * is the server's own.
 */
const otherComponents = new Set([
  "kubelet",
  "default-scheduler",
  "persistentvolume-controller",
  "ipallocator-repair-controller",
]);

const imageOf = (object: unknown): string | undefined => {
  const at = object as undefined | { spec?: { template?: { spec?: { containers?: { image?: string }[] } } } };
  return at?.spec?.template?.spec?.containers?.[0]?.image;
};

/** The name of an object, in words that are the same on both sides. */
function knownName(kind: string, object: KubeObject, hashes: readonly (readonly [string, string])[]): string {
  const { name, generateName, ownerReferences = [] } = object.metadata;
  const isGenerated = generateName !== undefined && /^[a-z0-9]{5}$/.test(name.slice(generateName.length));
  let known = isGenerated ? `${generateName}~` : name;
  for (const [hash, word] of hashes) known = known.replaceAll(hash, word);
  if (known !== name || kind !== "ControllerRevision") return known;
  // if the first name was taken, the name differs from the label
  const image = imageOf((object as { data?: unknown }).data);
  const [owner] = ownerReferences;
  return image === undefined || owner === undefined ? known : `${owner.name}-<another ${image}>`;
}

/** Pairs of a text and its replacement, longest first, so that a name within another is not replaced. */
function vocabulary(seen: readonly Seen[]): readonly (readonly [string, string])[] {
  const words = new Map<string, string>();
  for (const { object } of seen) {
    const labels = object.metadata.labels ?? {};
    const snapshot = (object as { data?: unknown }).data;
    const image = imageOf(object) ?? imageOf(snapshot);
    for (const key of ["pod-template-hash", "controller-revision-hash", "controller.kubernetes.io/hash"]) {
      const hash = labels[key];
      if (hash !== undefined && image !== undefined) words.set(hash, `<${image}>`);
    }
  }
  const hashes = [...words];
  for (const { kind, object } of seen) {
    const { name, uid } = object.metadata;
    const known = knownName(kind, object, hashes);
    if (known !== name && kind !== "Event") words.set(name, known);
    if (uid !== undefined && kind !== "Event") words.set(uid, `uid of ${kind} ${known}`);
  }
  return [...words].toSorted(([a], [b]) => b.length - a.length);
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  [/\b(10|172)\.\d+\.\d+\.\d+\b/g, "IP"],
  [/\bfd00:10:[0-9a-f:]+/g, "IP"],
  [/-----BEGIN [^"]*-----END CERTIFICATE-----\n/gs, "CERTIFICATE"],
  [/\b10-\d+-\d+-\d+\b/g, "IP"],
  [/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-~"],
  // a pod that was never there is known from its refusal only
  [/(pods "[^"]+-)[a-z0-9]{5}(" is forbidden)/g, "$1~$2"],
  // the minute of a CronJob's run
  [/-2\d{7}\b/g, "-MINUTE"],
  [/simulated:\/\/\S+/g, "simulated://"],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "UID"],
  [/"kid":"[^"]*"/g, '"kid":"KEY"'],
];

function inWords(text: string, words: readonly (readonly [string, string])[], options: NormaliseOptions): string {
  let result = text;
  for (const [from, to] of words) if (result.includes(from)) result = result.replaceAll(from, to);
  for (const [pattern, to] of patterns) result = result.replaceAll(pattern, to);
  return options.nodes ? result : result.replaceAll(/\bnode-\d+\b/g, "NODE");
}

const dropped = new Set(["resourceVersion", "managedFields", "selfLink"]);

function normalised(value: unknown, translate: (text: string) => string): Json {
  if (typeof value === "string") return translate(value);
  if (Array.isArray(value)) return value.map((item) => normalised(item, translate));
  if (value === null || typeof value !== "object") return value as Json;
  const entries = Object.entries(value)
    .filter(([key, item]) => !dropped.has(key) && item !== undefined)
    .map(([key, item]) => [translate(key), key === "nodePort" ? "PORT" : normalised(item, translate)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

/** Removes numbers that depend on the speed of pods, such as how often a ReplicaSet's size changed. */
function withoutPace(kind: string, object: KubeObject): KubeObject {
  if (kind === "EndpointSlice") {
    const { generation: _generation, ...metadata } = object.metadata;
    return { ...object, metadata };
  }
  if (kind !== "ReplicaSet" || !object.metadata.ownerReferences?.length) return object;
  const { generation, ...metadata } = object.metadata;
  const { status } = object as { status?: { observedGeneration?: number } };
  const seen = status?.observedGeneration === generation;
  return { ...object, metadata, status: { ...status, observedGeneration: seen } } as KubeObject;
}

/** Secrets as text, and tokens as their claims. */
function inClear(kind: string, object: KubeObject): KubeObject {
  const { data } = object as { data?: Readonly<Record<string, string>> };
  if (kind !== "Secret" || data === undefined) return object;
  const clear = Object.entries(data).map(([key, text]) => [key, key === "token" ? claimsIn(atob(text)) : atob(text)]);
  return { ...object, data: Object.fromEntries(clear) } as KubeObject;
}

const claimsIn = (token: string): string => token.split(".").slice(0, 2).map(atob).join(" ");

/** Sorts lists that have no promised order. */
function withoutOrder(kind: string, object: Json): Json {
  const copy = structuredClone(object) as Record<string, Json>;
  const sort = (list: unknown): void => {
    if (Array.isArray(list)) list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  };
  if (kind === "EndpointSlice") sort(copy["endpoints"]);
  if (kind === "Node") sort((copy["spec"] as { taints?: unknown } | undefined)?.taints);
  if (kind === "Endpoints") {
    sort(copy["subsets"]);
    for (const subset of (copy["subsets"] ?? []) as { addresses?: unknown; notReadyAddresses?: unknown }[]) {
      sort(subset.addresses);
      sort(subset.notReadyAddresses);
    }
  }
  sort((copy["status"] as { conditions?: unknown } | undefined)?.conditions);
  return copy;
}

export interface NamespaceState {
  /** By `Kind name`, equal ones together. */
  readonly objects: readonly string[];
  readonly events: readonly string[];
}

export function stateOf(
  observer: Observer,
  namespace: string,
  kinds: readonly string[],
  options: NormaliseOptions = {},
): NamespaceState {
  const words = vocabulary([...observer.seenIn(namespace), ...observer.seenIn("")]);
  const translate = (text: string): string => inWords(text, words, options);
  const textOf = (kind: string, object: KubeObject): string => {
    const shape = withoutOrder(kind, normalised(inClear(kind, withoutPace(kind, object)), translate));
    return `${kind} ${translate(object.metadata.name)} ${JSON.stringify(shape)}`;
  };
  const nodes =
    options.ownNodes === undefined
      ? []
      : observer.objects("Node", "").filter(({ metadata }) => metadata.labels?.["own"] === options.ownNodes);
  const ofNodes = (observer.objects("Event", "default") as unknown as readonly EventShape[]).filter(
    ({ involvedObject }) => nodes.some(({ metadata }) => metadata.name === involvedObject.name),
  );
  const named = (options.clusterKinds ?? []).flatMap((kind) =>
    observer
      .objects(kind, "")
      .filter((object) => JSON.stringify(object).includes(namespace))
      .map((object) => textOf(kind, object)),
  );
  const objects = [
    ...named,
    ...nodes.map((node) => textOf("Node", node)),
    ...kinds.flatMap((kind) => observer.objects(kind, namespace).map((object) => textOf(kind, object))),
  ];
  const events = [...(observer.objects("Event", namespace) as unknown as readonly EventShape[]), ...ofNodes]
    .filter((event) => !otherComponents.has(reporterOf(event)))
    .map((event) => eventText(event, translate));
  return { objects: objects.toSorted(), events: events.toSorted() };
}

interface EventShape extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly involvedObject: KubeObject["metadata"] & { readonly kind?: string; readonly fieldPath?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
}

const reporterOf = ({ source, reportingComponent }: EventShape): string =>
  source?.component ?? reportingComponent ?? "";

function eventText(event: EventShape, translate: (text: string) => string): string {
  const { type, reason, message = "", count = 0, involvedObject: about, source, reportingComponent } = event;
  const { apiVersion } = about as { apiVersion?: string };
  const times = count === 1 ? "once" : "often";
  const who = `${source?.component}/${reportingComponent}/${event.reportingInstance}/${event.action}`;
  return `${about.kind} ${translate(about.name)} (${apiVersion} ${about.fieldPath ?? ""}): ${type} ${reason} ${times}: ${translate(message)} [${who}]`;
}
