/** The objects of a namespace as they were at a revision, of every kind that this process watches: takes a client, gives relatives. */
import { type KubeObject, resourceKey, type ResourceType } from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { PageSources } from "../sources.js";
import { isNoFamily, type Relatives } from "./family.js";

const mostOfAKind = 1_000;

export interface MembersAt {
  readonly relatives: readonly Relatives[];
  /** The kinds of which some or all objects could not be read. */
  readonly incomplete: readonly string[];
}

/** Kinds come one after another, so that a look at the past does not press the server. */
export async function membersAt(
  sources: PageSources,
  client: Client,
  { namespace, at, signal }: { readonly namespace: string; readonly at: string; readonly signal: AbortSignal },
): Promise<MembersAt> {
  const relatives: Relatives[] = [];
  const incomplete: string[] = [];
  for (const type of watchedTypes(sources)) {
    const scope = namespace === "" || type.scope !== "Namespaced" ? {} : { namespace };
    try {
      const list = await client.resource(type, scope).list({ limit: mostOfAKind, signal, ...exactly(at) });
      relatives.push({ type, objects: list.items });
      if (list.metadata.continue) incomplete.push(type.kind);
    } catch {
      signal.throwIfAborted();
      incomplete.push(type.kind);
    }
  }
  return { relatives, incomplete };
}

function watchedTypes(sources: PageSources): Iterable<ResourceType<KubeObject>> {
  const types = new Map<string, ResourceType<KubeObject>>();
  for (const { cluster, informer } of sources.informers())
    if (cluster === "" && !isNoFamily(informer.type)) types.set(resourceKey(informer.type), informer.type);
  return types.values();
}

/** The options of a list that shows the past: a revision of the cluster, "" for now. */
export const exactly = (at: string): { readonly resourceVersion?: string; readonly resourceVersionMatch?: "Exact" } =>
  at === "" ? {} : { resourceVersion: at, resourceVersionMatch: "Exact" };
