/** Names the first other API object that a pod refers to, in upstream's words; a mirror pod may have none. */
import type { Pod, Volume } from "../../../api/index.js";
import { configMapsOf, secretsOf } from "../../../api/pods/references.js";

export function apiObjectIn(pod: Pod): string | undefined {
  const { spec } = pod;
  if (spec?.serviceAccountName) return "serviceaccounts";
  if (secretsOf(pod).size > 0) return "secrets";
  if (configMapsOf(pod).size > 0) return "configmaps";
  if ((spec?.resourceClaims ?? []).length > 0) return "resourceclaims";
  for (const volume of spec?.volumes ?? []) {
    const found = objectInVolume(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

function objectInVolume({ csi, glusterfs, persistentVolumeClaim, ephemeral, projected }: Volume): string | undefined {
  if (csi !== undefined) return "csidrivers (via CSI volumes)";
  if (glusterfs !== undefined) return "endpoints (via glusterFS volumes)";
  if (persistentVolumeClaim !== undefined) return "persistentvolumeclaims";
  if (ephemeral !== undefined) return "persistentvolumeclaims (via ephemeral volumes)";
  for (const source of projected?.sources ?? []) {
    if (source.serviceAccountToken !== undefined) return "serviceaccounts (via projected volumes)";
    if (source.clusterTrustBundle !== undefined) return "clustertrustbundles";
    if (source.podCertificate !== undefined) return "podcertificates";
  }
  return undefined;
}
