// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { Condition, GroupResource } from "./meta-v1.js";

export interface StorageVersionMigration {
  readonly apiVersion: "storagemigration.k8s.io/v1beta1";
  readonly kind: "StorageVersionMigration";
  readonly metadata: ObjectMeta;
  readonly spec?: StorageVersionMigrationSpec;
  readonly status?: StorageVersionMigrationStatus;
}
export const StorageVersionMigration: ResourceType<StorageVersionMigration> = /* @__PURE__ */ defineResource<StorageVersionMigration>({ group: "storagemigration.k8s.io", version: "v1beta1", kind: "StorageVersionMigration", plural: "storageversionmigrations", scope: "Cluster", subresources: ["status"] });

export interface StorageVersionMigrationSpec {
  readonly resource: GroupResource;
}

export interface StorageVersionMigrationStatus {
  readonly conditions?: readonly Condition[];
  readonly resourceVersion?: string;
}
