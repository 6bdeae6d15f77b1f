/** Pods, valid and not. */
import type { Cases, Change } from "../differential.js";
import { container, defaultsOfContainers, wrongContainers } from "./container-cases.js";

const wrongSpecs: Readonly<Record<string, Change>> = {
  "words that are none": { "spec.restartPolicy": "Odd", "spec.dnsPolicy": "Odd" },
  "bad names": {
    "spec.nodeName": "A",
    "spec.hostname": "a.b",
    "spec.subdomain": "A",
    "spec.serviceAccountName": "A",
    "spec.activeDeadlineSeconds": 0,
  },
  "bad selectors": { "spec.nodeSelector": { "a b": "c d" } },
  "bad tolerations": {
    "spec.tolerations": [
      { key: "a b" },
      { operator: "Equal" },
      { key: "a", operator: "Odd" },
      { key: "a", operator: "Exists", value: "b" },
      { key: "a", value: "b c" },
      { key: "a", effect: "Odd" },
      { key: "a", tolerationSeconds: 3, effect: "NoSchedule" },
      { key: "a", operator: "Lt", value: "1" },
    ],
  },
  "bad node affinity": {
    "spec.affinity.nodeAffinity": {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "a b", operator: "In" },
              { key: "a", operator: "Exists", values: ["b"] },
              { key: "a", operator: "Gt", values: ["1", "2"] },
              { key: "a", operator: "Odd" },
              { key: "a", operator: "In", values: ["b c"] },
            ],
            matchFields: [
              { key: "metadata.uid", operator: "In", values: ["a"] },
              { key: "metadata.name", operator: "Exists" },
              { key: "metadata.name", operator: "In", values: ["A"] },
            ],
          },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 0, preference: { matchExpressions: [{ key: "", operator: "In" }] } },
      ],
    },
  },
  "no node terms": {
    "spec.affinity.nodeAffinity": { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
  },
  "bad pod affinity": {
    "spec.affinity.podAffinity": {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: "", labelSelector: { matchLabels: { "a b": "c" } }, namespaces: ["A"] },
        { topologyKey: "z", matchLabelKeys: ["a"] },
        { topologyKey: "z", matchLabelKeys: ["a"], mismatchLabelKeys: ["a"], labelSelector: {} },
      ],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: "z z" } }],
    },
  },
  "bad spread": {
    "spec.topologySpreadConstraints": [
      { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Odd" },
      { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", minDomains: 0 },
      {
        maxSkew: 1,
        topologyKey: "z",
        whenUnsatisfiable: "ScheduleAnyway",
        nodeAffinityPolicy: "Odd",
        matchLabelKeys: ["a"],
      },
    ],
  },
  "no DNS": { "spec.dnsPolicy": "None" },
  "no name server": { "spec.dnsPolicy": "None", "spec.dnsConfig": { searches: ["a"] } },
  "bad DNS": {
    "spec.dnsConfig": {
      nameservers: ["1.2.3.4", "x", "1.2.3.04", "::ffff:1.2.3.4"],
      searches: ["A", "a_b.", "."],
      options: [{ value: "a" }],
    },
  },
  "bad aliases": { "spec.hostAliases": [{ ip: "1.2.3", hostnames: ["A"] }, { ip: "" }] },
  "bad gates": {
    "spec.readinessGates": [{ conditionType: "a b" }],
    "spec.schedulingGates": [{ name: "a" }, { name: "a" }, { name: "" }],
  },
  "a node with gates": { "spec.nodeName": "node", "spec.schedulingGates": [{ name: "a" }] },
  "bad pod security": {
    "spec.securityContext": {
      fsGroup: -1,
      runAsUser: -1,
      runAsGroup: -1,
      supplementalGroups: [-1],
      sysctls: [
        { name: "", value: "" },
        { name: "a..b", value: "1" },
        { name: "a", value: "1" },
        { name: "a", value: "2" },
      ],
      fsGroupChangePolicy: "Odd",
      supplementalGroupsPolicy: "Odd",
      seccompProfile: { type: "Unconfined", localhostProfile: "x" },
      windowsOptions: { runAsUserName: "a\\b\\c", gmsaCredentialSpecName: "A" },
    },
  },
  "shared processes twice": { "spec.shareProcessNamespace": true, "spec.hostPID": true },
  "sysctls of the host": {
    "spec.hostNetwork": true,
    "spec.hostIPC": true,
    "spec.securityContext.sysctls": [
      { name: "net.ipv4.ip_forward", value: "1" },
      { name: "kernel.shmmax", value: "1" },
      { name: "net/ipv4/x", value: "1" },
    ],
  },
  "users of its own": { "spec.hostUsers": false, "spec.hostPID": true, "spec.hostIPC": true },
  windows: {
    "spec.os": { name: "windows" },
    "spec.hostPID": true,
    "spec.securityContext": { fsGroup: 1, runAsUser: 1, seLinuxOptions: { level: "a" } },
    [`${container}.securityContext`]: { privileged: true, runAsUser: 1 },
  },
  linux: { "spec.os": { name: "linux" }, [`${container}.securityContext`]: { windowsOptions: { hostProcess: false } } },
  "another system": { "spec.os": { name: "plan9" } },
  overhead: { "spec.overhead": { cpu: "-1", bogus: "1" } },
  "resources of the pod": {
    "spec.resources": { limits: { cpu: "1", disk: "1" }, requests: { cpu: "2", memory: "1Gi" } },
    [`${container}.resources`]: { limits: { cpu: "4" }, requests: { memory: "2Gi" } },
  },
  "resource claims": {
    "spec.resourceClaims": [
      { name: "a" },
      { name: "a", resourceClaimName: "b", resourceClaimTemplateName: "c" },
      { name: "", resourceClaimName: "A" },
    ],
  },
  "host names": { "spec.hostnameOverride": "A.b", "spec.setHostnameAsFQDN": true },
  "a deletion cost": { "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]": "high" },
  "a mirror": { "metadata.annotations[kubernetes.io/config.mirror]": "x" },
};

const volumes: Readonly<Record<string, Change>> = {
  "all kinds with defaults": {
    "spec.volumes": [
      { name: "none" },
      { name: "empty", emptyDir: { sizeLimit: "1Gi" } },
      { name: "host", hostPath: { path: "/a" } },
      { name: "secret", secret: { secretName: "a" } },
      { name: "config", configMap: { name: "a", items: [{ key: "a", path: "b" }] } },
      { name: "down", downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "metadata.labels" } }] } },
      {
        name: "projected",
        projected: {
          sources: [
            { secret: { name: "a" } },
            { downwardAPI: { items: [{ path: "b", fieldRef: { fieldPath: "metadata.name" } }] } },
          ],
        },
      },
      { name: "nfs", nfs: { server: "a", path: "/b" } },
      { name: "iscsi", iscsi: { targetPortal: "a", iqn: "iqn.2001-04.com.example:storage", lun: 0 } },
      { name: "rbd", rbd: { monitors: ["a"], image: "b" } },
      { name: "azure", azureDisk: { diskName: "a", diskURI: "https://a" } },
      { name: "scale", scaleIO: { gateway: "a", system: "b", secretRef: { name: "s" }, volumeName: "v" } },
      { name: "csi", csi: { driver: "a.b" } },
      {
        name: "own",
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      },
      { name: "image", image: { reference: "a" } },
    ],
  },
  "wrong ones": {
    "spec.volumes": [
      { name: "", emptyDir: {} },
      { name: "A", emptyDir: {} },
      { name: "two", emptyDir: {}, hostPath: { path: "/a" } },
      { name: "neg", emptyDir: { sizeLimit: "-1" } },
      { name: "host", hostPath: { path: "" } },
      { name: "host2", hostPath: { path: "/a/../b", type: "Odd" } },
      { name: "git", gitRepo: { repository: "", directory: "/x" } },
      { name: "gce", gcePersistentDisk: { pdName: "", partition: 300 } },
      { name: "aws", awsElasticBlockStore: { volumeID: "", partition: -1 } },
      {
        name: "sec",
        secret: {
          secretName: "",
          defaultMode: 9999,
          items: [
            { key: "", path: "" },
            { key: "a", path: "../b", mode: -1 },
          ],
        },
      },
      { name: "conf", configMap: { name: "", items: [{ key: "a", path: "..b" }] } },
      { name: "nfs", nfs: { server: "", path: "rel" } },
      {
        name: "iscsi",
        iscsi: { targetPortal: "", iqn: "abc", lun: 300, chapAuthSession: true, initiatorName: "iqn.x" },
      },
      { name: "gl", glusterfs: { endpoints: "", path: "" } },
      { name: "fl", flocker: {} },
      { name: "pvc", persistentVolumeClaim: { claimName: "" } },
      { name: "rbd", rbd: { monitors: [], image: "" } },
      { name: "cinder", cinder: { volumeID: "", secretRef: {} } },
      { name: "ceph", cephfs: { monitors: [] } },
      { name: "quo", quobyte: { registry: "a", volume: "" } },
      { name: "down", downwardAPI: { items: [{ path: "", fieldRef: { fieldPath: "status.podIP" } }, { path: "a" }] } },
      { name: "fc", fc: {} },
      { name: "flex", flexVolume: { driver: "", options: { "kubernetes.io/x": "1" } } },
      { name: "af", azureFile: { secretName: "", shareName: "" } },
      { name: "vs", vsphereVolume: { volumePath: "" } },
      { name: "ad", azureDisk: { diskName: "", diskURI: "", kind: "Managed", cachingMode: "Odd" } },
      { name: "sos", storageos: { volumeName: "A" } },
      { name: "csi", csi: { driver: "" } },
      { name: "csi2", csi: { driver: "A_b", nodePublishSecretRef: { name: "" } } },
      { name: "eph", ephemeral: {} },
      {
        name: "eph2",
        ephemeral: { volumeClaimTemplate: { metadata: { name: "a" }, spec: { accessModes: ["Odd"], resources: {} } } },
      },
      { name: "img", image: { reference: "", pullPolicy: "Odd" } },
    ],
  },
  "wrong projections": {
    "spec.serviceAccountName": "a",
    "spec.volumes": [
      {
        name: "p",
        projected: {
          defaultMode: -1,
          sources: [
            { secret: { name: "", items: [{ key: "a", path: "x" }] } },
            { configMap: { name: "c", items: [{ key: "a", path: "x" }] } },
            { serviceAccountToken: { path: "", expirationSeconds: 5 } },
            { serviceAccountToken: { path: "/abs", expirationSeconds: 700 } },
            { downwardAPI: { items: [{ path: "x", fieldRef: { fieldPath: "metadata.name" } }] } },
            { secret: { name: "a" }, configMap: { name: "b" } },
          ],
        },
      },
    ],
  },
  "a token without an account": {
    "spec.volumes": [{ name: "p", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
  },
  "two of a name": {
    "spec.volumes": [
      { name: "a", emptyDir: {} },
      { name: "a", emptyDir: {} },
    ],
  },
};

const updates: Readonly<Record<string, Change>> = {
  "another image": { [`${container}.image`]: "other" },
  "no image": { [`${container}.image`]: "" },
  "one more container": { "spec.containers[1]": { name: "b", image: "b" } },
  "another command": { [`${container}.command`]: ["x"] },
  "a deadline": { "spec.activeDeadlineSeconds": 5 },
  "a bad deadline": { "spec.activeDeadlineSeconds": -5 },
  "one more toleration": {
    "spec.tolerations[5]": { key: "x", operator: "Exists" },
    "spec.tolerations[2]": { key: "b", operator: "Exists" },
    "spec.tolerations[3]": { key: "c", operator: "Exists" },
    "spec.tolerations[4]": { key: "d", operator: "Exists" },
  },
  "a new gate": { "spec.schedulingGates": [{ name: "a" }] },
  "another node": { "spec.nodeName": "other" },
  "a label": { "metadata.labels": { a: "b" } },
  "a mirror": { "metadata.annotations[kubernetes.io/config.mirror]": "x" },
};

export const podCases: readonly Cases[] = [
  {
    apiVersion: "v1",
    kind: "Pod",
    plural: "pods",
    base: { spec: { containers: [{ name: "main", image: "busybox:1" }] } },
    create: { ...defaultsOfContainers, ...wrongContainers, ...wrongSpecs, ...volumes },
    update: updates,
    ignore: ["spec.priority", "spec.preemptionPolicy", "spec.tolerations"],
  },
];
