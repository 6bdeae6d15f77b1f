/** ControllerRevisions: the templates that a DaemonSet or StatefulSet has had, as numbered snapshots. Pure. */
import {
  type ControllerRevision,
  deepEqual,
  type Draft,
  type KubeObject,
  newControllerRef,
  type PodTemplateSpec,
  type ResourceType,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { entriesByName } from "../../base/members.js";
import { byName } from "../../api/meta/key.js";

export const revisionHashLabel = "controller-revision-hash";

/** The hash of the template that a snapshot holds, or that a pod was made of; empty without one. */
export const revisionHashOf = ({ metadata }: KubeObject): string => metadata.labels?.[revisionHashLabel] ?? "";

type Data = NonNullable<ControllerRevision["data"]>;

/**
 * A snapshot's data: a patch that restores the template. The keys are sorted, because a server that patches the
 * snapshot's metadata writes them sorted: it compares bytes, and would refuse the patch as a change of immutable data.
 */
export function snapshotOf(template: PodTemplateSpec): Data {
  return inOrder({ spec: { template: { ...template, $patch: "replace" } } }) as Data;
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== "object") return value;
  const entries = entriesByName(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]));
}

/** The template in a snapshot. */
export function templateIn({ data }: Pick<ControllerRevision, "data">): PodTemplateSpec {
  const { $patch: _directive, ...template } = (data as { spec: { template: PodTemplateSpec & { $patch?: string } } })
    .spec.template;
  return template;
}

export const holds = (revision: ControllerRevision, snapshot: Data): boolean => deepEqual(revision.data, snapshot);

/** Oldest first; equal numbers are ordered by name, so that the order is always the same. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return a.revision - b.revision || byName(a, b);
}

export const nextRevisionNumber = (revisions: readonly ControllerRevision[]): number =>
  Math.max(0, ...revisions.map(({ revision }) => revision)) + 1;

export interface NewRevision<O extends KubeObject> {
  readonly owner: O;
  readonly ownerType: ResourceType<O>;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly data: Data;
  readonly revision: number;
}

export function newRevision<O extends KubeObject>(options: NewRevision<O>): Draft<ControllerRevision> {
  const { owner, ownerType, name, labels, data, revision } = options;
  const { namespace, annotations } = owner.metadata;
  return {
    metadata: {
      name,
      ...defined({ namespace }),
      labels,
      ...defined({ annotations }),
      ownerReferences: [newControllerRef(owner, ownerType)],
    },
    data,
    revision,
  };
}
