/** End states that can be compared: objects without the values that differ between two right histories. Pure. */
import type { KubeObject, OwnerReference } from "../../api/index.js";
import { compareText, lookup } from "../../base/members.js";

/** Normal forms by `Kind namespace/name`. */
export type EndState = ReadonlyMap<string, unknown>;

/** The name of the finalizer, annotation and label that other users leave on objects; no part of an end state. */
export const foreignMark = "simulation.coxswain.dev/somebody";

/** Kinds that no two histories leave alike, and that no controller's work consists of. */
const passing = new Set(["Event", "Lease", "LeaseCandidate", "IPAddress"]);

/** Annotations that say when, and whether lately, something changed. */
const passingAnnotations = new Set(["endpoints.kubernetes.io/last-change-trigger-time"]);

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The volume of a pod's token, which the server names. */
const tokenVolume = /^kube-api-access-[a-z0-9]{5}$/;

/** The normal form of one object, and the order of objects that share a place. */
interface Form {
  readonly place: string;
  readonly form: unknown;
  readonly text: string;
}

/** The forms of objects that refer to no other, for all the end states in which the same objects are. */
export type KnownForms = WeakMap<KubeObject, Form>;

export interface NormalOptions {
  /** Paths, e.g. `status.attempts`, whose values are ignored; the same for all calls with the same `known`. */
  readonly ignore: readonly string[];
  readonly known?: KnownForms;
}

/**
 * Leaves out uids, revisions, times, managed fields, generated names and hashes of templates. References by uid or by
 * generated name become references by place, and generations become whether the observed one is the current one.
 * Conditions are in the order of their types.
 */
export function endStateOf(objects: readonly KubeObject[], { ignore, known = new WeakMap() }: NormalOptions): EndState {
  const kept = objects.filter(({ kind }) => !passing.has(kind));
  const stable = stableNames(kept);
  const byUid = new Map(kept.map((object) => [object.metadata.uid ?? "", object]));
  const forms = kept.map((object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    let isAlone = true;
    const renamed = (text: string): string => {
      const other = byUid.get(text);
      const name = other === undefined ? stable(text) : `<uid of ${placeOf(other, stable)}>`;
      if (name !== text) isAlone = false;
      return name;
    };
    const ignored = [...ignore, ...(ofPlacement[object.kind] ?? [])];
    const form = normal(object, { renamed, ignore: ignored, generation: object.metadata.generation });
    const made = { place: placeOf(object, renamed), form, text: JSON.stringify(form) };
    if (isAlone && object.metadata.ownerReferences === undefined) known.set(object, made);
    return made;
  });
  // objects with generated names share a place: their content orders them, not their chance names
  forms.sort((a, b) => compareText(a.place, b.place) || compareText(a.text, b.text));
  const state = new Map<string, unknown>();
  for (const { place, form } of forms) {
    let key = place;
    for (let copy = 2; state.has(key); copy++) key = `${place} (${copy})`;
    state.set(key, form);
  }
  return state;
}

/**
 * Without the objects that have owners, none of which is left: a garbage collector would have taken them. An object whose
 * owner was made anew under the same name stays, because its operator should have seen to it.
 */
export function withoutGarbage(objects: readonly KubeObject[]): readonly KubeObject[] {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const places = new Set(objects.map((object) => placeOf(object, (name) => name)));
  const left = objects.filter(({ metadata: { namespace = "", ownerReferences: owners = [] } }) => {
    const isLeft = ({ uid, kind, name }: OwnerReference): boolean =>
      uids.has(uid) || places.has(`${kind} ${namespace}/${name}`) || places.has(`${kind} ${name}`);
    return owners.length === 0 || owners.some(isLeft);
  });
  return left.length === objects.length ? left : withoutGarbage(left);
}

/** Two end states without a difference. */
export function isSameState(a: EndState, b: EndState): boolean {
  if (a.size !== b.size) return false;
  for (const [place, form] of a) {
    const other = b.get(place);
    if (form !== other && JSON.stringify(form) !== JSON.stringify(other)) return false;
  }
  return true;
}

/**
 * Maps each text to one that is the same in each history, as far as generated names and the hashes of ReplicaSets are
 * concerned. The hash is another one if a Deployment was made again while the ReplicaSet of the old one was still there.
 */
function stableNames(objects: readonly KubeObject[]): (text: string) => string {
  const hashes = objects.flatMap(({ kind, metadata: { name, labels } }) => {
    const hash = labels?.["pod-template-hash"] ?? "";
    return kind === "ReplicaSet" && /^[a-z0-9]+$/.test(hash) && name.endsWith(`-${hash}`) ? [hash] : [];
  });
  const hashed = new RegExp(`\\b(?:${hashes.join("|")})\\b`, "g");
  const unhashed = (text: string): string => (hashes.length === 0 ? text : text.replace(hashed, "<hash>"));
  const names = new Map<string, string>();
  for (const { metadata } of objects)
    if (metadata.generateName) names.set(metadata.name, unhashed(`${metadata.generateName}*`));
  return (text) => names.get(text) ?? unhashed(text);
}

function placeOf({ kind, metadata }: KubeObject, stable: (text: string) => string): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${stable(metadata.name)}`;
}

/**
 * Where a pod runs, how often it was started, the addresses that the server gives, and how often a hash was taken
 * already: no two histories agree, and both are right.
 */
const ofPlacement: Readonly<Record<string, readonly string[]>> = lookup({
  Pod: [
    "spec.nodeName",
    ...["hostIP", "hostIPs", "podIP", "podIPs"].map((name) => `status.${name}`),
    ...["containerStatuses", "initContainerStatuses"].flatMap((list) => [
      `status.${list}.containerID`,
      `status.${list}.restartCount`,
      `status.${list}.lastState`,
    ]),
  ],
  Deployment: ["status.collisionCount"],
  Service: ["spec.clusterIP", "spec.clusterIPs", "spec.ports.nodePort", "spec.healthCheckNodePort"],
  EndpointSlice: ["endpoints.addresses", "endpoints.nodeName"],
  Endpoints: ["subsets.addresses.ip", "subsets.addresses.nodeName"],
});

interface Normalizing {
  /** The text, or the words for the object whose uid or generated name it is. */
  readonly renamed: (text: string) => string;
  readonly ignore: readonly string[];
  readonly generation: number | undefined;
}

const droppedMetadata = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "generation",
  "selfLink",
]);

function normal(value: unknown, tools: Normalizing, path = ""): unknown {
  if (tools.ignore.includes(path)) return undefined;
  if (typeof value === "string") {
    if (stamp.test(value)) return "<time>";
    if (tokenVolume.test(value)) return "kube-api-access-*";
    if (value.startsWith("simulated://")) return "<container>";
    return tools.renamed(value);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => normal(item, tools, path));
    return path.endsWith(".conditions") ? items.toSorted((a, b) => (typeIn(a) < typeIn(b) ? -1 : 1)) : items;
  }
  return typeof value === "object" && value !== null ? normalMembers(value, tools, path) : value;
}

function normalMembers(value: object, tools: Normalizing, path: string): object {
  const form: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === foreignMark || (path === "metadata" && droppedMetadata.has(key))) continue;
    if (path === "metadata.annotations" && passingAnnotations.has(key)) continue;
    const next = path === "" ? key : `${path}.${key}`;
    const made =
      key === "observedGeneration" && typeof inner === "number" && tools.generation !== undefined
        ? inner === tools.generation
          ? "<current>"
          : "<outdated>"
        : normal(inner, tools, next);
    // a mark of somebody else leaves no trace
    const isEmpty =
      (next === "metadata.annotations" || next === "metadata.labels") && Object.keys(made as object).length === 0;
    if (made !== undefined && !isEmpty) form[key] = made;
  }
  return form;
}

const typeIn = (condition: unknown): string => String((condition as { readonly type?: unknown } | null)?.type ?? "");

/** The differences of two end states, one line each: the place, the path, the expected and the actual value. */
export function differences(expected: EndState, actual: EndState): readonly string[] {
  const lines: string[] = [];
  for (const [place, form] of expected) {
    if (!actual.has(place)) lines.push(`${place}: is missing`);
    else compare(form, actual.get(place), { path: "", say: (line) => lines.push(`${place}: ${line}`) });
  }
  for (const place of actual.keys()) if (!expected.has(place)) lines.push(`${place}: should not be there`);
  return lines;
}

function compare(expected: unknown, actual: unknown, at: { path: string; say: (line: string) => void }): void {
  const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null;
  if (isTree(expected) && isTree(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      compare(expected[key], actual[key], { ...at, path: at.path === "" ? key : `${at.path}.${key}` });
    return;
  }
  if (expected === actual) return;
  at.say(`${at.path} should be ${shown(expected)} and is ${shown(actual)}`);
}

function shown(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
