/** Names, labels and claims of a StatefulSet's pods: an ordinal gives a pod its identity for ever. Pure. */
import {
  type Draft,
  newControllerRef,
  type PersistentVolumeClaim,
  type Pod,
  type PodTemplateSpec,
  StatefulSet,
  type Volume,
} from "../../api/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";
import { revisionHashLabel } from "../history/revisions.js";
import { generateNameFor } from "../pods/template.js";

const podNameLabel = "statefulset.kubernetes.io/pod-name";
const podIndexLabel = "apps.kubernetes.io/pod-index";

export const startOrdinal = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;
export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;

const memberName = /^(.*)-([0-9]+)$/;

/** Decided by the pod's name alone, which is the set's name and an ordinal. */
export const isMemberOf = (set: StatefulSet, { metadata }: Pick<Pod, "metadata">): boolean =>
  memberName.exec(metadata.name)?.[1] === set.metadata.name;

/** The ordinal in the name of a pod of this set; undefined for a pod with another form of name. */
export function ordinalOf(set: StatefulSet, { metadata }: Pick<Pod, "metadata">): number | undefined {
  const match = memberName.exec(metadata.name);
  const ordinal = Number(match?.[2]);
  return match?.[1] === set.metadata.name && ordinal < 2 ** 31 ? ordinal : undefined;
}

export const podNameOf = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`;

const claimNameOf = (set: StatefulSet, template: string, ordinal: number): string =>
  `${template}-${set.metadata.name}-${ordinal}`;

export interface StatefulPod {
  readonly set: StatefulSet;
  readonly ordinal: number;
  readonly template: PodTemplateSpec;
  /** The name of the revision that the template belongs to. */
  readonly revision: string;
}

/** The pod of an ordinal, from the template of a revision. */
export function statefulPod({
  set,
  ordinal,
  template,
  revision,
}: StatefulPod): Draft<Pod> & { readonly metadata: { readonly name: string } } {
  const name = podNameOf(set, ordinal);
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { namespace } = set.metadata;
  const spec = template.spec ?? { containers: [] };
  const volumes = volumesWithClaims(set, ordinal, spec.volumes ?? []);
  return {
    metadata: {
      name,
      // unused by the server; some clients derive the pod's owner from it
      generateName: generateNameFor(set.metadata.name),
      ...defined({ namespace }),
      labels: { ...labels, ...identityLabels(name, ordinal), [revisionHashLabel]: revision },
      ...defined({ annotations, finalizers }),
      ownerReferences: [newControllerRef(set, StatefulSet)],
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...defined({ volumes: unlessEmpty(volumes) }),
    },
  };
}

const identityLabels = (name: string, ordinal: number): Readonly<Record<string, string>> => ({
  [podNameLabel]: name,
  [podIndexLabel]: String(ordinal),
});

/** A claim replaces a volume of the same name in the template. */
function volumesWithClaims(set: StatefulSet, ordinal: number, volumes: readonly Volume[]): readonly Volume[] {
  const templates = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? "");
  const claimed = templates.map(
    (name): Volume => ({
      name,
      persistentVolumeClaim: { claimName: claimNameOf(set, name, ordinal) },
    }),
  );
  return [...claimed, ...volumes.filter(({ name }) => !templates.includes(name))];
}

/** The claims that a pod of this ordinal needs. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly Draft<PersistentVolumeClaim>[] {
  const { namespace } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    metadata: {
      ...template.metadata,
      name: claimNameOf(set, template.metadata.name ?? "", ordinal),
      ...defined({ namespace }),
      labels: { ...template.metadata.labels, ...set.spec?.selector.matchLabels },
    },
  }));
}

/** The pod with the identity and claims of its ordinal restored; the very same object if nothing was missing. */
export function withIdentity(set: StatefulSet, ordinal: number, pod: Pod): Pod {
  const name = podNameOf(set, ordinal);
  const known = pod.metadata.labels?.[podNameLabel] === name;
  const volumes = pod.spec?.volumes ?? [];
  const stored = (set.spec?.volumeClaimTemplates ?? []).every(({ metadata }) => {
    const claimName = claimNameOf(set, metadata.name ?? "", ordinal);
    return volumes.some((one) => one.name === metadata.name && one.persistentVolumeClaim?.claimName === claimName);
  });
  if (known && stored) return pod;
  const labels = { ...pod.metadata.labels, ...identityLabels(name, ordinal) };
  const spec = { ...(pod.spec ?? { containers: [] }), volumes: volumesWithClaims(set, ordinal, volumes) };
  return { ...pod, metadata: { ...pod.metadata, labels }, ...(stored ? {} : { spec }) };
}
