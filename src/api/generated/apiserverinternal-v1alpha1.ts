// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Time } from "../scalars.js";

export type ConditionStatus = "False" | "True" | "Unknown";

export type StorageVersionConditionType = "AllEncodingVersionsEqual" | (string & {});

export interface ServerStorageVersion {
  readonly apiServerID: string;
  readonly encodingVersion: string;
  readonly decodableVersions: readonly string[];
  readonly servedVersions?: readonly string[];
}

export interface StorageVersion {
  readonly apiVersion: "internal.apiserver.k8s.io/v1alpha1";
  readonly kind: "StorageVersion";
  readonly metadata: ObjectMeta;
  readonly spec?: StorageVersionSpec;
  readonly status?: StorageVersionStatus;
}
export const StorageVersion: ResourceType<StorageVersion> = /* @__PURE__ */ defineResource<StorageVersion>({ group: "internal.apiserver.k8s.io", version: "v1alpha1", kind: "StorageVersion", plural: "storageversions", scope: "Cluster", subresources: ["status"] });

export interface StorageVersionCondition {
  readonly type: StorageVersionConditionType;
  readonly status: ConditionStatus;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: Time;
  readonly reason: string;
  readonly message: string;
}

export interface StorageVersionSpec {
}

export interface StorageVersionStatus {
  readonly storageVersions?: readonly ServerStorageVersion[];
  readonly commonEncodingVersion?: string;
  readonly conditions?: readonly StorageVersionCondition[];
}
