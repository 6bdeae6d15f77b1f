/** The owners and dependents of an object, as a tree: takes the caches of the process and a way to read owners that are in none. */
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

/** Asks for an owner that may be in no cache; undefined if it is gone or must not be read. */
export type ReadOwner = (owner: OwnerReference, namespace: string) => Promise<FamilyMember | undefined>;

/** The tree below the topmost owner of the object. */
export async function ownerTree(member: FamilyMember, sources: PageSources, readOwner: ReadOwner): Promise<TreeNode> {
  let top = member;
  for (let depth = 0; depth < deepest; depth++) {
    const { ownerReferences: owners = [], namespace = "" } = top.object.metadata;
    const owner = owners.find(({ controller }) => controller === true) ?? owners[0];
    const above = owner && (await readOwner(owner, namespace));
    if (above === undefined) break;
    top = above;
  }
  return treeOf(top, dependentsByOwner(sources), 0);
}

/** One pass over the caches, because a tree asks for the dependents of many objects. */
function dependentsByOwner(sources: PageSources): ReadonlyMap<string, readonly FamilyMember[]> {
  const byOwner = new Map<string, FamilyMember[]>();
  const seen = new Set<string>();
  for (const { cluster, informer } of sources.informers()) {
    // the events of an object are shown as events, and several informers may have the same object
    if (cluster !== "" || informer.type.kind === "Event") continue;
    for (const object of informer.indexer.list()) {
      const { ownerReferences = [], uid = "" } = object.metadata;
      if (ownerReferences.length === 0 || seen.has(uid)) continue;
      seen.add(uid);
      for (const { uid: owner } of ownerReferences) {
        const known = byOwner.get(owner);
        if (known === undefined) byOwner.set(owner, [{ object, type: informer.type }]);
        else known.push({ object, type: informer.type });
      }
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
