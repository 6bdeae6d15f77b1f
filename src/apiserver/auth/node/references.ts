/** The objects that a pod or a volume refers to, and that its node may therefore read. */
import type { PersistentVolume, Pod } from "../../../api/index.js";
import { configMapsOf, nonEmpty, secretsOf } from "../../../api/pods/references.js";
import { isMirrorPod } from "../../../api/pods/mirror.js";

/** `secrets/namespace/name`. */
export type ReferenceKey = string;

export const referenceTo = (resource: string, namespace: string, name: string): ReferenceKey =>
  `${resource}/${namespace}/${name}`;

/** Everything that a pod refers to. A mirror pod, which its node makes itself, refers to nothing. */
export function* referencesOf(pod: Pod): Generator<ReferenceKey> {
  const { metadata, spec } = pod;
  if (isMirrorPod(pod)) return;
  const { namespace = "", name: podName } = metadata;
  const to = (resource: string, name: string): ReferenceKey => referenceTo(resource, namespace, name);
  if (spec?.serviceAccountName) yield to("serviceaccounts", spec.serviceAccountName);
  for (const name of secretsOf(pod)) yield to("secrets", name);
  for (const name of configMapsOf(pod)) yield to("configmaps", name);
  for (const { name, persistentVolumeClaim: claim, ephemeral } of spec?.volumes ?? []) {
    if (claim !== undefined) yield to("persistentvolumeclaims", claim.claimName);
    else if (ephemeral !== undefined) yield to("persistentvolumeclaims", `${podName}-${name}`);
  }
  for (const claim of resourceClaimsOf(pod)) yield to("resourceclaims", claim);
}

function resourceClaimsOf({ spec, status }: Pod): ReadonlySet<string> {
  const made = new Map((status?.resourceClaimStatuses ?? []).map((one) => [one.name, one.resourceClaimName]));
  const names = (spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => resourceClaimName ?? made.get(name));
  return nonEmpty(new Set([...names, status?.extendedResourceClaimStatus?.resourceClaimName]));
}

/** The secrets that a volume names, with their namespaces: of their own, or that of its claim. */
export function* secretsOfPersistent({ spec }: PersistentVolume): Generator<ReferenceKey> {
  const home = spec?.claimRef?.namespace ?? "";
  const { azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = spec ?? {};
  if (azureFile?.secretName) yield referenceTo("secrets", azureFile.secretNamespace ?? home, azureFile.secretName);
  const sources = [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((source) => source?.secretRef);
  const ofDriver = [csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef];
  for (const ref of [...sources, ...ofDriver] as readonly SecretRef[]) {
    if (ref?.name) yield referenceTo("secrets", ref.namespace ?? home, ref.name);
  }
}

type SecretRef = { readonly name?: string; readonly namespace?: string } | undefined;
