/** The owners and dependents of an object, as a tree: takes the objects that may be dependents and a way to read owners. */
import { type KubeObject, type OwnerReference, resourceKey, type ResourceType } from "../../api/index.js";
import type { PageSources } from "../sources.js";
import type { ObjectLink, TreeNode } from "../wire.js";
import { stateOf } from "./state.js";

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

/** Asks for an owner; undefined if it is gone or must not be read. */
export type ReadOwner = (owner: OwnerReference, namespace: string) => Promise<FamilyMember | undefined>;

/** The tree below the topmost owner of the object; dependents are looked for among the given members. */
export async function ownerTree(
  member: FamilyMember,
  members: Iterable<FamilyMember>,
  readOwner: ReadOwner,
): Promise<TreeNode> {
  let top = member;
  for (let depth = 0; depth < deepest; depth++) {
    const { ownerReferences: owners = [], namespace = "" } = top.object.metadata;
    const owner = owners.find(({ controller }) => controller === true) ?? owners[0];
    const above = owner && (await readOwner(owner, namespace));
    if (above === undefined) break;
    top = above;
  }
  return treeOf(top, dependentsByOwner(members), 0);
}

/** The objects in the caches of this process. */
export function* cachedMembers(sources: PageSources): Iterable<FamilyMember> {
  for (const { cluster, informer } of sources.informers()) {
    if (cluster !== "" || isNoFamily(informer.type)) continue;
    for (const object of informer.indexer.list()) yield { object, type: informer.type };
  }
}

/** The events of an object are shown as events. */
export const isNoFamily = ({ kind }: Pick<ResourceType, "kind">): boolean => kind === "Event";

/** One pass over all members, because a tree asks for the dependents of many objects. */
function dependentsByOwner(members: Iterable<FamilyMember>): ReadonlyMap<string, readonly FamilyMember[]> {
  const byOwner = new Map<string, FamilyMember[]>();
  const seen = new Set<string>();
  for (const member of members) {
    const { ownerReferences = [], uid = "" } = member.object.metadata;
    // several informers may have the same object
    if (ownerReferences.length === 0 || seen.has(uid)) continue;
    seen.add(uid);
    for (const { uid: owner } of ownerReferences) {
      const known = byOwner.get(owner);
      if (known === undefined) byOwner.set(owner, [member]);
      else known.push(member);
    }
  }
  return byOwner;
}

function treeOf(
  { object, type }: FamilyMember,
  byOwner: ReadonlyMap<string, readonly FamilyMember[]>,
  depth: number,
): TreeNode {
  const children = depth >= deepest ? [] : (byOwner.get(object.metadata.uid ?? "") ?? []);
  const shown = children.slice(0, mostChildren).toSorted(byKindAndName);
  return {
    ...linkOf(object, type),
    ...stateOf(object),
    children: shown.map((child) => treeOf(child, byOwner, depth + 1)),
    more: children.length - shown.length,
  };
}

const byKindAndName = (a: FamilyMember, b: FamilyMember): number =>
  a.type.kind.localeCompare(b.type.kind) || a.object.metadata.name.localeCompare(b.object.metadata.name);
