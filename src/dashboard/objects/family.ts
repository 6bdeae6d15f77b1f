/** The owners and dependents of an object, as a tree: takes the objects that may be dependents and a way to read owners. */
import { type KubeObject, type OwnerReference, resourceKey, type ResourceType } from "../../api/index.js";
import { namespaceIndex } from "../../informer/index.js";
import type { PageSources } from "../sources.js";
import type { ObjectLink, TreeNode } from "../wire.js";
import { type Pace, visitAll } from "./pace.js";
import { stateOf } from "../health/state.js";

const deepest = 8;
const mostChildren = 100;

export function linkOf(
  object: KubeObject,
  type: Pick<ResourceType, "group" | "version" | "plural" | "kind">,
): ObjectLink {
  const { namespace = "", name, uid = "" } = object.metadata;
  return { kind: type.kind, resource: resourceKey(type), namespace, name, uid };
}

export interface FamilyMember {
  readonly object: KubeObject;
  readonly type: ResourceType;
}

/** The objects of one kind among which dependents are looked for. */
export interface Relatives {
  readonly type: ResourceType;
  readonly objects: readonly KubeObject[];
}

/** Asks for an owner; undefined if it is gone or must not be read. */
export type ReadOwner = (owner: OwnerReference, namespace: string) => Promise<FamilyMember | undefined>;

export interface FamilySearch {
  /** The objects of a namespace, in which the dependents of its objects are; "" for all. */
  relatives(namespace: string): Iterable<Relatives>;
  readonly readOwner: ReadOwner;
  readonly pace: Pace;
}

/** The tree below the topmost owner of the object. */
export async function ownerTree(member: FamilyMember, { relatives, readOwner, pace }: FamilySearch): Promise<TreeNode> {
  let top = member;
  for (let depth = 0; depth < deepest; depth++) {
    const { ownerReferences: owners = [], namespace = "" } = top.object.metadata;
    const owner = owners.find(({ controller }) => controller === true) ?? owners[0];
    const above = owner && (await readOwner(owner, namespace));
    if (above === undefined) break;
    top = above;
  }
  const among: Relatives[] = [];
  await visitAll(relatives(top.object.metadata.namespace ?? ""), pace, (one) => among.push(one));
  return treeOf(top, await dependentsOf(top, among, pace), 0);
}

/** The objects in the caches of this process. */
export function* cachedRelatives(sources: PageSources, namespace: string): Iterable<Relatives> {
  for (const { cluster, informer } of sources.informers()) {
    const { type, indexer } = informer;
    if (cluster !== "" || isNoFamily(type)) continue;
    const isFiled = namespace !== "" && Object.hasOwn(indexer.indexers, namespaceIndex);
    yield { type, objects: isFiled ? indexer.byIndex(namespaceIndex, namespace) : indexer.list() };
  }
}

/** The events of an object are shown as events. */
export const isNoFamily = ({ kind }: Pick<ResourceType, "kind">): boolean => kind === "Event";

/** The dependents of one owner that a tree shows, and the number of all. */
interface Dependents {
  readonly shown: Map<string, FamilyMember>;
  number: number;
}

type Descendants = ReadonlyMap<string, Dependents>;

/**
 * The dependents of an object, of its dependents and so on, by the owner's UID: one pass over all objects for each
 * generation, which keeps nothing of the objects that are no relatives.
 */
async function dependentsOf(top: FamilyMember, relatives: readonly Relatives[], pace: Pace): Promise<Descendants> {
  const all = new Map<string, Dependents>();
  let owners = new Map<string, Dependents>([[top.object.metadata.uid ?? "", newDependents()]]);
  for (let depth = 0; depth < deepest && owners.size > 0; depth++) {
    const generation = owners;
    for (const { type, objects } of relatives)
      await visitAll(objects, pace, (object) => addTo(generation, object, type));
    owners = new Map();
    for (const [uid, dependents] of generation) {
      all.set(uid, dependents);
      for (const child of dependents.shown.keys()) if (!all.has(child)) owners.set(child, newDependents());
    }
  }
  return all;
}

const newDependents = (): Dependents => ({ shown: new Map(), number: 0 });

/** Several informers may have the same object. */
function addTo(owners: Descendants, object: KubeObject, type: ResourceType): void {
  const { ownerReferences, uid = "" } = object.metadata;
  if (ownerReferences === undefined) return;
  for (const { uid: owner } of ownerReferences) {
    const dependents = owners.get(owner);
    if (dependents === undefined || dependents.shown.has(uid)) continue;
    dependents.number += 1;
    if (dependents.shown.size < mostChildren) dependents.shown.set(uid, { object, type });
  }
}

function treeOf({ object, type }: FamilyMember, byOwner: Descendants, depth: number): TreeNode {
  const { shown = new Map<string, FamilyMember>(), number = 0 } = byOwner.get(object.metadata.uid ?? "") ?? {};
  const children = depth >= deepest ? [] : [...shown.values()].sort(byKindAndName);
  return {
    ...linkOf(object, type),
    ...stateOf(object),
    children: children.map((child) => treeOf(child, byOwner, depth + 1)),
    more: depth >= deepest ? 0 : number - shown.size,
  };
}

const byKindAndName = (a: FamilyMember, b: FamilyMember): number =>
  a.type.kind.localeCompare(b.type.kind) || a.object.metadata.name.localeCompare(b.object.metadata.name);
