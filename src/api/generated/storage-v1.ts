// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { QuantityText, Time } from "../scalars.js";
import type { PersistentVolumeSpec, TopologySelectorTerm } from "./core-v1.js";
import type { LabelSelector } from "./meta-v1.js";

type PersistentVolumeReclaimPolicy = "Delete" | "Recycle" | "Retain";

export type FSGroupPolicy = "File" | "None" | "ReadWriteOnceWithFSType" | (string & {});

export type VolumeBindingMode = "Immediate" | "WaitForFirstConsumer";

export type VolumeLifecycleMode = "Ephemeral" | "Persistent" | (string & {});

/** A storage driver, and what it can do. */
export interface CSIDriver {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "CSIDriver";
  readonly metadata: ObjectMeta;
  readonly spec: CSIDriverSpec;
}
export const CSIDriver: ResourceType<CSIDriver> = /* @__PURE__ */ defineResource<CSIDriver>({ group: "storage.k8s.io", version: "v1", kind: "CSIDriver", plural: "csidrivers", scope: "Cluster" });

export interface CSIDriverSpec {
  readonly attachRequired?: boolean;
  readonly podInfoOnMount?: boolean;
  readonly volumeLifecycleModes?: readonly VolumeLifecycleMode[];
  readonly storageCapacity?: boolean;
  readonly fsGroupPolicy?: FSGroupPolicy;
  readonly tokenRequests?: readonly TokenRequest[];
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly preventPodSchedulingIfMissing?: boolean;
}

/** The storage drivers on a node. */
export interface CSINode {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "CSINode";
  readonly metadata: ObjectMeta;
  readonly spec: CSINodeSpec;
}
export const CSINode: ResourceType<CSINode> = /* @__PURE__ */ defineResource<CSINode>({ group: "storage.k8s.io", version: "v1", kind: "CSINode", plural: "csinodes", scope: "Cluster" });

export interface CSINodeDriver {
  readonly name: string;
  readonly nodeID: string;
  readonly topologyKeys?: readonly string[];
  readonly allocatable?: VolumeNodeResources;
}

export interface CSINodeSpec {
  readonly drivers: readonly CSINodeDriver[];
}

/** How much storage of a class is left somewhere. */
export interface CSIStorageCapacity {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "CSIStorageCapacity";
  readonly metadata: ObjectMeta;
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName: string;
  readonly capacity?: QuantityText;
  readonly maximumVolumeSize?: QuantityText;
}
export const CSIStorageCapacity: ResourceType<CSIStorageCapacity> = /* @__PURE__ */ defineResource<CSIStorageCapacity>({ group: "storage.k8s.io", version: "v1", kind: "CSIStorageCapacity", plural: "csistoragecapacities", scope: "Namespaced" });

/** A sort of storage, and who makes it. */
export interface StorageClass {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "StorageClass";
  readonly metadata: ObjectMeta;
  /** The driver that makes volumes of it. */
  readonly provisioner: string;
  /** Settings for the provisioner. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The fate of its volumes when their claims go. */
  readonly reclaimPolicy?: PersistentVolumeReclaimPolicy;
  /** Options for mounting its volumes. */
  readonly mountOptions?: readonly string[];
  /** Whether claims may grow. */
  readonly allowVolumeExpansion?: boolean;
  /** Immediate, or WaitForFirstConsumer: when a pod needs it. */
  readonly volumeBindingMode?: VolumeBindingMode;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
}
export const StorageClass: ResourceType<StorageClass> = /* @__PURE__ */ defineResource<StorageClass>({ group: "storage.k8s.io", version: "v1", kind: "StorageClass", plural: "storageclasses", scope: "Cluster", shortNames: ["sc"] });

export interface TokenRequest {
  readonly audience: string;
  readonly expirationSeconds?: number;
}

/** Asks for a volume to be attached to a node, or detached. */
export interface VolumeAttachment {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "VolumeAttachment";
  readonly metadata: ObjectMeta;
  readonly spec: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
}
export const VolumeAttachment: ResourceType<VolumeAttachment> = /* @__PURE__ */ defineResource<VolumeAttachment>({ group: "storage.k8s.io", version: "v1", kind: "VolumeAttachment", plural: "volumeattachments", scope: "Cluster", subresources: ["status"] });

export interface VolumeAttachmentSource {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: PersistentVolumeSpec;
}

export interface VolumeAttachmentSpec {
  readonly attacher: string;
  readonly source: VolumeAttachmentSource;
  readonly nodeName: string;
}

export interface VolumeAttachmentStatus {
  readonly attached: boolean;
  readonly attachmentMetadata?: Readonly<Record<string, string>>;
  readonly attachError?: VolumeError;
  readonly detachError?: VolumeError;
}

/** Settings of volumes that can be changed while they are in use. */
export interface VolumeAttributesClass {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "VolumeAttributesClass";
  readonly metadata: ObjectMeta;
  readonly driverName: string;
  readonly parameters?: Readonly<Record<string, string>>;
}
export const VolumeAttributesClass: ResourceType<VolumeAttributesClass> = /* @__PURE__ */ defineResource<VolumeAttributesClass>({ group: "storage.k8s.io", version: "v1", kind: "VolumeAttributesClass", plural: "volumeattributesclasses", scope: "Cluster", shortNames: ["vac"] });

export interface VolumeError {
  readonly time?: Time;
  readonly message?: string;
  readonly errorCode?: number;
}

export interface VolumeNodeResources {
  readonly count?: number;
}
