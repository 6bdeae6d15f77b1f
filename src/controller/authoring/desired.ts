/** The declarative style: a pure function gives the desired objects, the framework creates, updates and prunes. */
import {
  apiVersionOf,
  isControlledBy,
  isDeleting,
  type KubeObject,
  newControllerRef,
  resourceKey,
  type ResourceType,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type Reconcile, TerminalError } from "../reconcile.js";
import type { StatusOf } from "../reconcile-client.js";

/** The existing objects of the kinds that the controller owns. */
export interface Observed {
  /** The objects of a kind that this object controls. */
  owned<K extends KubeObject>(type: ResourceType<K>): readonly K[];
  /** One of them, by name. */
  get<K extends KubeObject>(type: ResourceType<K>, name: string): K | undefined;
}

export interface Desired<T extends KubeObject> {
  /** All desired objects. Owner reference and namespace are filled in. Owned objects that are not among them are deleted. */
  readonly objects: readonly KubeObject[];
  /** Fields of the status; written if one differs. */
  readonly status?: StatusOf<T>;
  readonly requeueAfterMs?: number;
}

export interface DesiredOptions<T extends KubeObject> {
  readonly for: ResourceType<T>;
  /** The kinds that `plan` may ask for, and that are pruned: those in the controller's `owns`. */
  readonly kinds: readonly ResourceType[];
  /**
   * Pure: the same result for the same arguments, and no effects, so that it can be tested, replayed and explained
   * without a cluster.
   */
  readonly plan: (object: T, observed: Observed) => Desired<T>;
}

/**
 * A reconciler that makes the cluster match `plan`. Deletes come last, so that the replacement of an object exists
 * before the object goes.
 */
export function desired<T extends KubeObject>({ for: type, kinds, plan }: DesiredOptions<T>): Reconcile<T> {
  return async ({ object, cache, client }) => {
    if (isDeleting(object)) return;
    const owned = <K extends KubeObject>(kind: ResourceType<K>): readonly K[] => cache.ownedBy(kind, object);
    const wanted = plan(object, {
      owned,
      get: (kind, name) => owned(kind).find(({ metadata }) => metadata.name === name),
    });
    const { namespace } = object.metadata;
    const reference = newControllerRef(object);
    const keep = new Set<string>();
    for (const item of wanted.objects) {
      const kind = kindOf(item, kinds);
      const place = kind.scope === "Cluster" || namespace === undefined ? {} : { namespace };
      const metadata = {
        ...place,
        ...item.metadata,
        ownerReferences: [...(item.metadata.ownerReferences ?? []), reference],
      };
      keep.add(`${resourceKey(kind)} ${metadata.name}`);
      const have = cache.get(kind, metadata);
      if (have !== undefined && !isControlledBy(have, object)) {
        throw new TerminalError(
          `${kind.kind} ${metadata.name} exists and is not controlled by ${object.kind} ${object.metadata.name}`,
        );
      }
      // an object that is being deleted cannot be kept; its deletion event queues the owner again
      if (have === undefined || !isDeleting(have)) await client.apply({ ...item, metadata });
    }
    for (const kind of kinds) {
      const surplus = owned(kind).filter(
        (item) => !keep.has(`${resourceKey(kind)} ${item.metadata.name}`) && !isDeleting(item),
      );
      for (const item of surplus) await client.delete(item);
    }
    if (wanted.status !== undefined) await client.status(type).patch(object, wanted.status);
    return defined({ requeueAfterMs: wanted.requeueAfterMs });
  };
}

function kindOf({ apiVersion, kind }: KubeObject, kinds: readonly ResourceType[]): ResourceType {
  const found = kinds.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
  if (found !== undefined) return found;
  throw new TerminalError(`the plan asks for a ${kind} (${apiVersion}), which is not among its kinds`);
}
