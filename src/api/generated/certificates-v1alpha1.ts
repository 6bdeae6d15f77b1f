// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";

export interface ClusterTrustBundle {
  readonly apiVersion: "certificates.k8s.io/v1alpha1";
  readonly kind: "ClusterTrustBundle";
  readonly metadata: ObjectMeta;
  readonly spec: ClusterTrustBundleSpec;
}
export const ClusterTrustBundle: ResourceType<ClusterTrustBundle> = /* @__PURE__ */ defineResource<ClusterTrustBundle>({ group: "certificates.k8s.io", version: "v1alpha1", kind: "ClusterTrustBundle", plural: "clustertrustbundles", scope: "Cluster" });

export interface ClusterTrustBundleSpec {
  readonly signerName?: string;
  readonly trustBundle: string;
}
