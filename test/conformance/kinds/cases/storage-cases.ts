/** The kinds of storage, valid and not. */
import type { Cases, Change } from "../differential.js";

const drivers: Readonly<Record<string, Change>> = {
  "nothing said": { spec: {} },
  "all that may be said": {
    spec: {
      attachRequired: false,
      podInfoOnMount: true,
      storageCapacity: true,
      fsGroupPolicy: "File",
      volumeLifecycleModes: ["Persistent", "Ephemeral"],
      tokenRequests: [{ audience: "a", expirationSeconds: 600 }, { audience: "" }],
      requiresRepublish: true,
      seLinuxMount: true,
      nodeAllocatableUpdatePeriodSeconds: 10,
    },
  },
  "odd words": { "spec.fsGroupPolicy": "Odd", "spec.volumeLifecycleModes": ["Odd"] },
  "bad tokens": {
    "spec.tokenRequests": [
      { audience: "a", expirationSeconds: 1 },
      { audience: "a", expirationSeconds: 4294967297 },
    ],
  },
  "a short period": { "spec.nodeAllocatableUpdatePeriodSeconds": 9 },
  "a bad name": { "metadata.name": "a_b" },
  "a long name": { "metadata.name": "a".repeat(64) },
  "tokens in secrets": {
    "spec.tokenRequests": [{ audience: "a" }],
    "spec.serviceAccountTokenInSecrets": true,
  },
  "no tokens in secrets": { "spec.serviceAccountTokenInSecrets": true },
};

const csiNodes: Readonly<Record<string, Change>> = {
  "nothing said": { spec: { drivers: [] } },
  "bad drivers": {
    "spec.drivers": [
      { name: "", nodeID: "" },
      { name: "a_b", nodeID: "x".repeat(193) },
      { name: "a", nodeID: "a", allocatable: { count: -1 }, topologyKeys: ["", "a b", "z", "z"] },
      { name: "a", nodeID: "a" },
    ],
  },
};

const classes: Readonly<Record<string, Change>> = {
  "no provisioner": { provisioner: undefined },
  "a bad provisioner": { provisioner: "A_/b" },
  "an odd policy": { reclaimPolicy: "Odd" },
  "another odd policy": { reclaimPolicy: "Recycle" },
  "an odd mode": { volumeBindingMode: "Odd" },
  parameters: { parameters: { a: "b" }, allowVolumeExpansion: true, mountOptions: ["x"] },
  "bad parameters": { parameters: { "": "b" } },
  "many parameters": { parameters: { a: "b".repeat(256 * 1024) } },
  topologies: { allowedTopologies: [{ matchLabelExpressions: [{ key: "a", values: ["b"] }] }] },
  "bad topologies": {
    allowedTopologies: [
      {},
      { matchLabelExpressions: [] },
      {
        matchLabelExpressions: [
          { key: "", values: [] },
          { key: "a b", values: ["c d"] },
        ],
      },
      {
        matchLabelExpressions: [
          { key: "a", values: ["b", "b"] },
          { key: "a", values: ["b"] },
        ],
      },
      { matchLabelExpressions: [{ key: "z", values: ["b"] }] },
      { matchLabelExpressions: [{ key: "z", values: ["b"] }] },
    ],
  },
};

const attachments: Readonly<Record<string, Change>> = {
  "no attacher": { "spec.attacher": undefined },
  "a bad attacher": { "spec.attacher": "a_b" },
  "no node": { "spec.nodeName": undefined },
  "a bad node": { "spec.nodeName": "A" },
  "no source": { "spec.source": {} },
  "an empty source": { "spec.source.persistentVolumeName": "" },
  "two sources": {
    "spec.source.inlineVolumeSpec": { accessModes: ["ReadWriteOnce"], csi: { driver: "a", volumeHandle: "b" } },
  },
  "a source inside": {
    "spec.source": {
      inlineVolumeSpec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1" },
        csi: { driver: "a", volumeHandle: "b" },
      },
    },
  },
  "a bad source inside": {
    "spec.source": { inlineVolumeSpec: { accessModes: ["Odd"], nfs: { server: "a", path: "b" } } },
  },
};

const affinityTo = (...pairs: readonly (readonly [key: string, value: string])[]): object => ({
  required: {
    nodeSelectorTerms: [{ matchExpressions: pairs.map(([key, value]) => ({ key, operator: "In", values: [value] })) }],
  },
});

export const storageCases: readonly Cases[] = [
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    plural: "storageclasses",
    clusterWide: true,
    base: { provisioner: "example.com/a" },
    create: classes,
    update: {
      "another provisioner": { provisioner: "example.com/b" },
      "another policy": { reclaimPolicy: "Retain" },
      "other parameters": { parameters: { a: "b" } },
      "another mode": { volumeBindingMode: "WaitForFirstConsumer" },
      expansion: { allowVolumeExpansion: true },
    },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    plural: "volumeattributesclasses",
    clusterWide: true,
    base: { driverName: "example.com", parameters: { a: "b" } },
    create: {
      "no driver": { driverName: undefined },
      "a bad driver": { driverName: "A_/b" },
      "no parameters": { parameters: undefined },
      "bad parameters": { parameters: { "": "b" } },
    },
    update: { "another driver": { driverName: "b" }, "other parameters": { parameters: { a: "c" } } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    plural: "csidrivers",
    clusterWide: true,
    base: { spec: { attachRequired: true } },
    create: drivers,
    update: {
      "another way": { "spec.attachRequired": false },
      "other words": { "spec.fsGroupPolicy": "File", "spec.podInfoOnMount": true },
      "other modes": { "spec.volumeLifecycleModes": ["Ephemeral"] },
      "other tokens": { "spec.tokenRequests": [{ audience: "a" }] },
      republish: { "spec.requiresRepublish": true, "spec.seLinuxMount": true, "spec.storageCapacity": true },
    },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    plural: "csinodes",
    clusterWide: true,
    base: { spec: { drivers: [{ name: "a", nodeID: "b", topologyKeys: ["c"], allocatable: { count: 3 } }] } },
    create: csiNodes,
    update: {
      "another id": { "spec.drivers[0].nodeID": "c" },
      "another count": { "spec.drivers[0].allocatable.count": 4 },
      "other keys": { "spec.drivers[0].topologyKeys": ["d"] },
      "one more": { "spec.drivers[1]": { name: "b", nodeID: "b" } },
      none: { "spec.drivers": [] },
    },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    plural: "csistoragecapacities",
    base: { storageClassName: "a", capacity: "1Gi", nodeTopology: { matchLabels: { a: "b" } } },
    create: {
      "no class": { storageClassName: undefined },
      "a bad class": { storageClassName: "A" },
      "less than none": { capacity: "-1", maximumVolumeSize: "-1" },
      "bad labels": { nodeTopology: { matchLabels: { "a b": "c" } } },
    },
    update: {
      "another class": { storageClassName: "b" },
      "other labels": { nodeTopology: {} },
      more: { capacity: "2Gi" },
    },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    plural: "volumeattachments",
    clusterWide: true,
    base: { spec: { attacher: "example.com", nodeName: "a", source: { persistentVolumeName: "b" } } },
    create: attachments,
    update: { "another node": { "spec.nodeName": "b" }, "another source": { "spec.source.persistentVolumeName": "c" } },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    plural: "persistentvolumes",
    clusterWide: true,
    name: "placed-volume",
    ignore: ["status.lastPhaseTransitionTime"],
    base: {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/a" },
        nodeAffinity: affinityTo(["beta.kubernetes.io/arch", "amd64"], ["x", "y"]),
      },
    },
    update: {
      "another value": { "spec.nodeAffinity": affinityTo(["beta.kubernetes.io/arch", "amd64"], ["x", "z"]) },
      "stable name": { "spec.nodeAffinity": affinityTo(["kubernetes.io/arch", "amd64"], ["x", "y"]) },
      "stable name, another value": { "spec.nodeAffinity": affinityTo(["kubernetes.io/arch", "arm64"], ["x", "y"]) },
      "another order": { "spec.nodeAffinity": affinityTo(["x", "y"], ["beta.kubernetes.io/arch", "amd64"]) },
      "another term": {
        "spec.nodeAffinity.required.nodeSelectorTerms[1]": {
          matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }],
        },
      },
      none: { "spec.nodeAffinity": undefined },
    },
  },
];
