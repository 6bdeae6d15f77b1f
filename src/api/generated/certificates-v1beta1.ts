// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";
import type { Condition } from "./meta-v1.js";

export interface ClusterTrustBundle {
  readonly apiVersion: "certificates.k8s.io/v1beta1";
  readonly kind: "ClusterTrustBundle";
  readonly metadata: ObjectMeta;
  readonly spec: ClusterTrustBundleSpec;
}
export const ClusterTrustBundle: ResourceType<ClusterTrustBundle> = /* @__PURE__ */ defineResource<ClusterTrustBundle>({ group: "certificates.k8s.io", version: "v1beta1", kind: "ClusterTrustBundle", plural: "clustertrustbundles", scope: "Cluster" });

export interface ClusterTrustBundleSpec {
  readonly signerName?: string;
  readonly trustBundle: string;
}

export interface PodCertificateRequest {
  readonly apiVersion: "certificates.k8s.io/v1beta1";
  readonly kind: "PodCertificateRequest";
  readonly metadata: ObjectMeta;
  readonly spec: PodCertificateRequestSpec;
  readonly status?: PodCertificateRequestStatus;
}
export const PodCertificateRequest: ResourceType<PodCertificateRequest> = /* @__PURE__ */ defineResource<PodCertificateRequest>({ group: "certificates.k8s.io", version: "v1beta1", kind: "PodCertificateRequest", plural: "podcertificaterequests", scope: "Namespaced", subresources: ["status"] });

export interface PodCertificateRequestSpec {
  readonly signerName: string;
  readonly podName: string;
  readonly podUID: string;
  readonly serviceAccountName: string;
  readonly serviceAccountUID: string;
  readonly nodeName: string;
  readonly nodeUID: string;
  readonly maxExpirationSeconds?: number;
  readonly pkixPublicKey?: string;
  readonly proofOfPossession?: string;
  readonly stubPKCS10Request: string;
  readonly unverifiedUserAnnotations?: Readonly<Record<string, string>>;
}

export interface PodCertificateRequestStatus {
  readonly conditions?: readonly Condition[];
  readonly certificateChain?: string;
  readonly notBefore?: Time;
  readonly beginRefreshAt?: Time;
  readonly notAfter?: Time;
}
