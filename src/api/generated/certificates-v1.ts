// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";

export type KeyUsage = "any" | "cert sign" | "client auth" | "code signing" | "content commitment" | "crl sign" | "data encipherment" | "decipher only" | "digital signature" | "email protection" | "encipher only" | "ipsec end system" | "ipsec tunnel" | "ipsec user" | "key agreement" | "key encipherment" | "microsoft sgc" | "netscape sgc" | "ocsp signing" | "s/mime" | "server auth" | "signing" | "timestamping";

export type RequestConditionType = "Approved" | "Denied" | "Failed" | (string & {});

type ConditionStatus = "False" | "True" | "Unknown";

/** Asks a signer for a certificate. */
export interface CertificateSigningRequest {
  readonly apiVersion: "certificates.k8s.io/v1";
  readonly kind: "CertificateSigningRequest";
  readonly metadata: ObjectMeta;
  readonly spec: CertificateSigningRequestSpec;
  readonly status?: CertificateSigningRequestStatus;
}
export const CertificateSigningRequest: ResourceType<CertificateSigningRequest> = /* @__PURE__ */ defineResource<CertificateSigningRequest>({ group: "certificates.k8s.io", version: "v1", kind: "CertificateSigningRequest", plural: "certificatesigningrequests", scope: "Cluster", shortNames: ["csr"], subresources: ["approval", "status"] });

export interface CertificateSigningRequestCondition {
  readonly type: RequestConditionType;
  readonly status: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: Time;
  readonly lastTransitionTime?: Time;
}

export interface CertificateSigningRequestSpec {
  readonly request: string;
  readonly signerName: string;
  readonly expirationSeconds?: number;
  readonly usages?: readonly KeyUsage[];
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface CertificateSigningRequestStatus {
  readonly conditions?: readonly CertificateSigningRequestCondition[];
  readonly certificate?: string;
}
