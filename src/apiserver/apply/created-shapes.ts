/**
 * Remembers the entry of a new object's creator by the object's shape: the events of a reporter differ in their texts
 * alone, so that all of them have the same owned fields.
 */
import { deepEqual, type KubeObject, type ManagedFieldsEntry } from "../../api/index.js";
import { Recent } from "../../base/index.js";
import { without } from "../../base/members.js";
import type { FieldManagerRequest } from "../contracts/field-manager.js";

/** Kinds that are small, and created in thousands with a name of their own each. (Pods are created by template.) */
const takesPart: ReadonlySet<string> = new Set(["v1 Event", "events.k8s.io/v1 Event"]);

/** The number of creators, and of shapes of each, that are remembered. */
const remembered = 64;
const shapesOfEach = 4;

/**
 * Invariant: objects of one kind, version and creator that are alike own the same fields, because the object without
 * fields with which a new one is compared has no scalars but zero.
 */
export class CreatedShapes {
  readonly #created = new Recent<string, readonly KubeObject[]>({ weight: remembered });

  /** The entries of a new object that nobody owns yet, if the object of another that was kept is like it. */
  entriesOf(object: KubeObject, request: FieldManagerRequest): readonly ManagedFieldsEntry[] | undefined {
    if (!isTaken(object, request)) return undefined;
    const known = this.#created.get(keyOf(request))?.find((one) => isLike(one, object));
    const { time } = request;
    return known?.metadata.managedFields?.map((entry) => (entry.time === time ? entry : { ...entry, time }));
  }

  /** Keeps a new object with its owners. */
  keep(owned: KubeObject, request: FieldManagerRequest): void {
    if (!isTaken(owned, request)) return;
    const others = this.#created.get(keyOf(request)) ?? [];
    this.#created.set(keyOf(request), [owned, ...others.slice(0, shapesOfEach - 1)]);
  }
}

const isTaken = ({ kind }: KubeObject, { apiVersion, subresource }: FieldManagerRequest): boolean =>
  subresource === "" && takesPart.has(`${apiVersion} ${kind}`);

const keyOf = ({ apiVersion, manager }: FieldManagerRequest): string => `${apiVersion} ${manager}`;

/** Whether the kept object, but for its owners, and the new one are alike. */
function isLike({ metadata, ...kept }: KubeObject, { metadata: newMetadata, ...rest }: KubeObject): boolean {
  return alike(kept, rest) && alike(without(metadata, "managedFields"), newMetadata);
}

/**
 * Whether both have the same members, down to scalars that are equal or both other than zero. Lists must be equal: their
 * items may be owned by name.
 */
function alike(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== typeof b || !a || !b) return false;
  if (typeof a !== "object") return true;
  if (Array.isArray(a) || Array.isArray(b)) return deepEqual(a, b);
  return alikeMembers(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>);
}

function alikeMembers(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  let more = 0;
  for (const name in a) {
    if (!Object.hasOwn(b, name) || !alike(a[name], b[name])) return false;
    more++;
  }
  for (const _ in b) more--;
  return more === 0;
}
