/** End states that can be compared: objects without the values that differ between two right histories. Pure. */
import type { KubeObject, OwnerReference, ReplicaSet } from "../../api/index.js";
import { compareText, lookup } from "../../base/members.js";

/** Normal forms by `Kind namespace/name`. */
export type EndState = ReadonlyMap<string, unknown>;

/** The name of the finalizer, annotation and label that other users leave on objects; no part of an end state. */
export const foreignMark = "simulation.coxswain.dev/somebody";

/** Kinds that no two histories leave alike, and that no controller's work consists of. */
const passing = new Set(["Event", "Lease", "LeaseCandidate", "IPAddress", "ControllerRevision"]);

/** Annotations that say when, how often, and whether lately, something changed. */
const passingAnnotations = new Set([
  "endpoints.kubernetes.io/last-change-trigger-time",
  "deployment.kubernetes.io/revision",
  "deployment.kubernetes.io/revision-history",
]);

/** A ReplicaSet that a Deployment keeps of a rollout before: a template that was changed and put back leaves one. */
const isOfThePast = (object: KubeObject): boolean =>
  object.kind === "ReplicaSet" &&
  (object as ReplicaSet).spec?.replicas === 0 &&
  (object.metadata.ownerReferences ?? []).some(({ kind, controller }) => kind === "Deployment" && controller === true);

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Names of things outside of the cluster contain the uid of the object that they belong to. */
const uids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

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
  const kept = objects.filter((object) => !passing.has(object.kind) && !isOfThePast(object));
  const stable = stableNames(kept);
  const byUid = new Map(kept.map((object) => [object.metadata.uid ?? "", object]));
  const forms = kept.map((object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    let isAlone = true;
    const renamed = (text: string): string => {
      const described = (uid: string): string => {
        const other = byUid.get(uid);
        return other === undefined ? uid : `<uid of ${placeOf(other, stable)}>`;
      };
      const name = byUid.has(text) ? described(text) : stable(text).replace(uids, described);
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

/** The finalizers that servers put on objects, each with the built-in controller that takes it off. */
const protection: Readonly<Record<string, string>> = lookup({
  "kubernetes.io/pvc-protection": "persistentvolumeclaim-protection-controller",
  "kubernetes.io/pv-protection": "persistentvolume-protection-controller",
});

/**
 * The objects that would be left if the built-in controllers that see to the end of objects had run, too: a world without
 * them is judged as if it had some that are done.
 */
export function settledWithout(running: ReadonlySet<string>, objects: readonly KubeObject[]): readonly KubeObject[] {
  const unprotected = objects.filter(({ metadata: { deletionTimestamp, finalizers = [] } }) => {
    const isHeld = (finalizer: string): boolean => {
      const controller = protection[finalizer];
      return controller === undefined || running.has(controller);
    };
    return deletionTimestamp === undefined || finalizers.length === 0 || finalizers.some(isHeld);
  });
  return running.has("garbage-collector-controller") ? unprotected : withoutGarbage(unprotected);
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

/** Whether one object is the same before and after a change of it, the ignored paths aside; undefined if none is ignored. */
export const sameBut = (ignore: readonly string[]): ((before: unknown, after: unknown) => boolean) | undefined =>
  ignore.length === 0
    ? undefined
    : (before, after) =>
        isSameState(endStateOf([before as KubeObject], { ignore }), endStateOf([after as KubeObject], { ignore }));

/** Two end states without a difference. */
export function isSameState(a: EndState, b: EndState): boolean {
  if (a === b) return true;
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
    const next = join(path, key);
    const made =
      key === "observedGeneration" && typeof inner === "number" && tools.generation !== undefined
        ? inner === tools.generation
          ? "<current>"
          : "<outdated>"
        : normal(inner, tools, next);
    if (made === undefined) continue;
    // a mark of somebody else leaves no trace
    const isMarked = next === "metadata.annotations" || next === "metadata.labels";
    if (!isMarked || Object.keys(made as object).length > 0) form[key] = made;
  }
  return form;
}

const typeIn = (condition: unknown): string => String((condition as { readonly type?: unknown } | null)?.type ?? "");

/** The differences of two end states, one line each: the place, the path, the expected and the actual value. */
export function differences(expected: EndState, actual: EndState): readonly string[] {
  if (expected === actual) return [];
  const lines: string[] = [];
  for (const [place, form] of expected) {
    const say = (path: string, should: unknown, is: unknown): void =>
      void lines.push(`${place}: ${path} should be ${shown(should)} and is ${shown(is)}`);
    if (!actual.has(place)) lines.push(`${place}: is missing`);
    else compare(form, actual.get(place), { path: "", say });
  }
  for (const place of actual.keys()) if (!expected.has(place)) lines.push(`${place}: should not be there`);
  return lines;
}

/** The values that an operator draws by chance, such as passwords: for each place the paths. */
export type Chance = ReadonlyMap<string, ReadonlySet<string>>;

/** The values that differ between two end states of the same history, in which the operator drew other random numbers. */
export function chanceIn(one: EndState, other: EndState): Chance {
  const chance = new Map<string, Set<string>>();
  for (const [place, form] of one) {
    const paths = new Set<string>();
    const say = (path: string, a: unknown, b: unknown): void => {
      if (a !== undefined && b !== undefined) paths.add(path);
    };
    if (other.has(place)) compare(form, other.get(place), { path: "", say });
    if (paths.size > 0) chance.set(place, paths);
  }
  return chance;
}

/** The end state without the drawn values; whether there is a value still counts. */
export function withoutChance(state: EndState, chance: Chance): EndState {
  if (chance.size === 0) return state;
  const cover = (value: unknown, path: string, paths: ReadonlySet<string>): unknown => {
    if (paths.has(path)) return "<drawn by chance>";
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([key, inner]) => [key, cover(inner, join(path, key), paths)] as const);
    return Array.isArray(value) ? members.map(([, inner]) => inner) : Object.fromEntries(members);
  };
  return new Map(
    Array.from(state, ([place, form]) => {
      const paths = chance.get(place);
      return [place, paths === undefined ? form : cover(form, "", paths)] as const;
    }),
  );
}

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

interface Comparing {
  readonly path: string;
  readonly say: (path: string, expected: unknown, actual: unknown) => void;
}

function compare(expected: unknown, actual: unknown, at: Comparing): void {
  const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null;
  if (isTree(expected) && isTree(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      compare(expected[key], actual[key], { ...at, path: join(at.path, key) });
    return;
  }
  if (expected !== actual) at.say(at.path, expected, actual);
}

function shown(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
