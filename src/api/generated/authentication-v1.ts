// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";

export interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** Asks as whom the server sees the asker. */
export interface SelfSubjectReview {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "SelfSubjectReview";
  readonly metadata: ObjectMeta;
  readonly status?: SelfSubjectReviewStatus;
}
export const SelfSubjectReview: ResourceType<SelfSubjectReview> = /* @__PURE__ */ defineResource<SelfSubjectReview>({ group: "authentication.k8s.io", version: "v1", kind: "SelfSubjectReview", plural: "selfsubjectreviews", scope: "Cluster" });

export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo;
}

/** Asks for a token of a service account. */
export interface TokenRequest {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "TokenRequest";
  readonly metadata: ObjectMeta;
  readonly spec?: TokenRequestSpec;
  readonly status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: BoundObjectReference;
}

export interface TokenRequestStatus {
  readonly token?: string;
  readonly expirationTimestamp?: Time;
}

/** Asks whose token this is. */
export interface TokenReview {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "TokenReview";
  readonly metadata: ObjectMeta;
  readonly spec: TokenReviewSpec;
  readonly status?: TokenReviewStatus;
}
export const TokenReview: ResourceType<TokenReview> = /* @__PURE__ */ defineResource<TokenReview>({ group: "authentication.k8s.io", version: "v1", kind: "TokenReview", plural: "tokenreviews", scope: "Cluster" });

export interface TokenReviewSpec {
  readonly token: string;
  readonly audiences?: readonly string[];
}

export interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
