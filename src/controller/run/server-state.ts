/**
 * Remembers the last state that the server sent of one controller's objects, so that a changed cached object is not
 * mistaken for it.
 */
import { fingerprint, type KubeObject, metaNamespaceKey, type ResourceType, resourceKey } from "../../api/index.js";
import { Recent } from "../../base/index.js";
import { withoutManagedFields } from "../../api/meta/managed-fields.js";

interface Known {
  readonly revision: string;
  /** Undefined if the cached object of this revision was found changed, so that nothing can be learnt from it. */
  readonly fingerprint: string | undefined;
}

/** The number of objects that are surely remembered; writes of others are sent without checking whether they would change anything. */
const limit = 10_000;

/**
 * A write may be skipped because the cache has it already, but only if the cached object is as the server sent it:
 * programs that change cached objects, which they must not, would otherwise lose that write. Frozen objects are always
 * as the server sent them.
 *
 * Invariant: a fingerprint was taken from an answer of the server, or from an event when the controller was first told
 * of it.
 */
export class ServerState {
  readonly #known = new Recent<string, Known>({ weight: limit });
  readonly #frozen: boolean;

  constructor({ frozen }: { readonly frozen: boolean }) {
    this.#frozen = frozen;
  }

  /** Takes an object that has just come from the server. */
  learn(type: ResourceType, object: KubeObject): void {
    if (this.#frozen) return;
    const revision = object.metadata.resourceVersion ?? "";
    this.#known.set(idOf(type, object), { revision, fingerprint: fingerprint(withoutManagedFields(object)) });
  }

  /** As `learn`, but only for objects that are already remembered. */
  follow(type: ResourceType, object: KubeObject): void {
    if (!this.#frozen && this.#known.get(idOf(type, object)) !== undefined) this.learn(type, object);
  }

  /** `unknown` if nothing is remembered of this revision. `changed` is returned once. */
  judge(type: ResourceType, cached: KubeObject): "intact" | "changed" | "unknown" {
    if (this.#frozen) return "intact";
    const id = idOf(type, cached);
    const known = this.#known.get(id);
    const revision = cached.metadata.resourceVersion ?? "";
    if (known?.fingerprint === undefined || known.revision !== revision) return "unknown";
    if (known.fingerprint === fingerprint(withoutManagedFields(cached))) return "intact";
    this.#known.set(id, { revision, fingerprint: undefined });
    return "changed";
  }
}

function idOf(type: ResourceType, object: KubeObject): string {
  return `${resourceKey(type)} ${metaNamespaceKey(object)}`;
}
