/** The other kinds of the core group, valid and not. */
import type { Cases, Change } from "../differential.js";

const port = { port: 80 };
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const services: Readonly<Record<string, Change>> = {
  "no ports": { "spec.ports": undefined },
  "several ports": {
    "spec.ports": [
      { port: 80, name: "a" },
      { port: 81, name: "b", targetPort: "http", protocol: "UDP" },
    ],
  },
  "ports gone wrong": {
    "spec.ports": [
      { port: 0 },
      { port: 70000, name: "A" },
      { port: 80, name: "x", protocol: "ICMP", targetPort: "Bad_Name" },
      { port: 80, name: "x", appProtocol: "a b" },
      { port: 81, name: "y", targetPort: 70000 },
      { port: 81, name: "z" },
    ],
  },
  // a port that a server assigns only on request: other tests use the same server
  "node ports inside": { "spec.ports[0].nodePort": 30023 },
  "sticky clients": { "spec.sessionAffinity": "ClientIP" },
  "too sticky": {
    "spec.sessionAffinity": "ClientIP",
    "spec.sessionAffinityConfig": { clientIP: { timeoutSeconds: 90000 } },
  },
  "odd affinity": { "spec.sessionAffinity": "Odd" },
  "an odd type": { "spec.type": "Odd" },
  headless: { "spec.clusterIP": "None", "spec.selector": { a: "b" } },
  "headless without ports": { "spec.clusterIP": "None", "spec.ports": undefined, "spec.selector": { a: "b" } },
  "headless and outside": { "spec.clusterIP": "None", "spec.type": "NodePort", "spec.selector": { a: "b" } },
  "an external name": { "spec.type": "ExternalName", "spec.externalName": "example.com." },
  "no external name": { "spec.type": "ExternalName" },
  "a bad external name": { "spec.type": "ExternalName", "spec.externalName": "A_b" },
  "an external name with addresses": {
    "spec.type": "ExternalName",
    "spec.externalName": "example.com",
    "spec.clusterIP": "10.0.0.9",
    "spec.ipFamilyPolicy": "SingleStack",
  },
  "bad addresses": { "spec.clusterIP": "x" },
  "addresses that differ": { "spec.clusterIP": "10.0.0.7", "spec.clusterIPs": ["10.0.0.8"] },
  "plural alone": { "spec.clusterIPs": ["10.0.0.8"] },
  "odd families": { "spec.ipFamilies": ["IPv5"], "spec.ipFamilyPolicy": "Odd" },
  "external addresses": { "spec.externalIPs": ["1.2.3.4"] },
  "bad external addresses": {
    "spec.externalIPs": ["127.0.0.1", "0.0.0.0", "x", "169.254.1.1", "224.0.0.1", "1.2.3.04", "fe80::1", "::1"],
  },
  "a bad selector": { "spec.selector": { "a b": "c d" } },
  "ranges inside": { "spec.loadBalancerSourceRanges": ["10.0.0.0/8"] },
  "ranges gone wrong": {
    "spec.type": "LoadBalancer",
    "spec.loadBalancerSourceRanges": ["10.0.0.1/8", "x", " 10.0.0.0/8 ", "10.0.0.0/33"],
  },
  "a class inside": { "spec.loadBalancerClass": "a" },
  "a bad class": { "spec.type": "LoadBalancer", "spec.loadBalancerClass": "a b" },
  "a policy inside": { "spec.externalTrafficPolicy": "Local" },
  "an odd policy": {
    "spec.type": "NodePort",
    "spec.externalTrafficPolicy": "Odd",
    "spec.internalTrafficPolicy": "Odd",
  },
  "a check inside": { "spec.healthCheckNodePort": 30001 },
  "ports that are not allocated": { "spec.allocateLoadBalancerNodePorts": true },
  "odd distribution": { "spec.trafficDistribution": "Odd" },
  "near ones": { "spec.trafficDistribution": "PreferClose" },
  "node ports": { "spec.type": "NodePort" },
  balanced: { "spec.type": "LoadBalancer" },
};

const serviceUpdates: Readonly<Record<string, Change>> = {
  "another port": { "spec.ports[0].port": 81 },
  "another address": { "spec.clusterIP": "10.0.0.77", "spec.clusterIPs": ["10.0.0.77"] },
  "no address": { "spec.clusterIP": undefined, "spec.clusterIPs": undefined },
  "made headless": { "spec.clusterIP": "None", "spec.clusterIPs": ["None"] },
  "made external": { "spec.type": "ExternalName", "spec.externalName": "example.com" },
  "a bad type": { "spec.type": "Odd" },
  "a label": { "metadata.labels": { a: "b" } },
};

const quotas: Readonly<Record<string, Change>> = {
  "odd resources": {
    "spec.hard": { bogus: "1", "a b": "1", "requests.cpu": "-1", pods: "1.5", "example.com/x": "1", storage: "1" },
  },
  scopes: { "spec.scopes": ["BestEffort", "NotBestEffort", "Odd"], "spec.hard": { pods: "1", cpu: "1" } },
  "scope selectors": {
    "spec.scopeSelector": {
      matchExpressions: [
        { scopeName: "PriorityClass", operator: "In" },
        { scopeName: "BestEffort", operator: "In", values: ["x"] },
        { scopeName: "Odd", operator: "Odd" },
        { scopeName: "PriorityClass", operator: "Exists", values: ["a"] },
      ],
    },
  },
  "small amounts": { "spec.hard": { cpu: "0.0001" } },
};

const limits: Readonly<Record<string, Change>> = {
  "defaults for containers": { "spec.limits": [{ type: "Container", max: { cpu: "2" }, min: { memory: "1Mi" } }] },
  "odd types": {
    "spec.limits": [{ type: "Odd" }, { type: "a b" }, { type: "Pod", default: { cpu: "1" } }, { type: "Pod" }],
  },
  "bounds that cross": {
    "spec.limits": [
      {
        type: "Container",
        min: { cpu: "3" },
        max: { cpu: "1" },
        default: { cpu: "2" },
        defaultRequest: { cpu: "4" },
        maxLimitRequestRatio: { cpu: "0.5" },
      },
    ],
  },
  "a ratio": {
    "spec.limits": [{ type: "Pod", min: { cpu: "1" }, max: { cpu: "2" }, maxLimitRequestRatio: { cpu: "3" } }],
  },
  "claims without bounds": { "spec.limits": [{ type: "PersistentVolumeClaim" }] },
  "odd resources": {
    "spec.limits": [
      {
        type: "Container",
        max: { bogus: "1", "example.com/x": "2" },
        default: { "example.com/x": "1" },
        defaultRequest: { "example.com/x": "2" },
      },
    ],
  },
};

const secrets: Readonly<Record<string, Change>> = {
  text: { stringData: { a: "b" }, data: { a: base64("c"), d: base64("e") } },
  "bad keys": { data: { "a b": base64("x"), "..": base64("x") } },
  "an account's": { type: "kubernetes.io/service-account-token" },
  "docker's": { type: "kubernetes.io/dockercfg" },
  "docker's, not JSON": { type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64("x") } },
  "docker's, no object": { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": base64("[1]") } },
  "docker's, good": { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": base64("{}") } },
  "a login": { type: "kubernetes.io/basic-auth" },
  "a key": { type: "kubernetes.io/ssh-auth" },
  "a certificate": { type: "kubernetes.io/tls" },
  "too large": { data: { a: base64("x".repeat(1024 * 1024 + 1)) } },
};

const claims: Readonly<Record<string, Change>> = {
  "nothing said": { spec: {} },
  "odd modes": { "spec.accessModes": ["Odd", "ReadWriteOncePod", "ReadOnlyMany"], "spec.volumeMode": "Odd" },
  "no size": { "spec.resources": {} },
  "a negative size": { "spec.resources": { requests: { storage: "-1" } } },
  "a bad class": { "spec.storageClassName": "A" },
  "an empty class": { "spec.storageClassName": "" },
  "a bad selector": { "spec.selector": { matchExpressions: [{ key: "a b", operator: "In" }] } },
  "a source": { "spec.dataSource": { kind: "PersistentVolumeClaim", name: "a" } },
  "bad sources": { "spec.dataSource": { kind: "Odd", name: "" } },
  "a reference": { "spec.dataSourceRef": { kind: "VolumeSnapshot", apiGroup: "snapshot.storage.k8s.io", name: "a" } },
  "a bad reference": { "spec.dataSourceRef": { kind: "X", apiGroup: "A", name: "" } },
  "small amounts": { "spec.resources": { requests: { storage: "1.5Gi" }, limits: { storage: "2G" } } },
};

const volumes: Readonly<Record<string, Change>> = {
  "nothing said": { spec: {} },
  "odd modes": { "spec.accessModes": ["Odd"], "spec.volumeMode": "Odd", "spec.persistentVolumeReclaimPolicy": "Odd" },
  "no size": { "spec.capacity": undefined },
  "other sizes": { "spec.capacity": { storage: "0", cpu: "-1" } },
  "two sources": { "spec.nfs": { server: "a", path: "/" } },
  "a local disk": { "spec.hostPath": undefined, "spec.local": { path: "/a" } },
  "recycled root": { "spec.hostPath.path": "/", "spec.persistentVolumeReclaimPolicy": "Recycle" },
  "a bad affinity": { "spec.nodeAffinity": {} },
  "a bad node": {
    "spec.nodeAffinity": { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a b", operator: "Odd" }] }] } },
  },
  "a driver": { "spec.hostPath": undefined, "spec.csi": { driver: "a.b", volumeHandle: "" } },
  "a driver's secrets": {
    "spec.hostPath": undefined,
    "spec.csi": { driver: "a.b", volumeHandle: "x", nodePublishSecretRef: { name: "", namespace: "A" } },
  },
  "a bad class": { "spec.storageClassName": "A", "spec.volumeAttributesClassName": "" },
};

export const coreCases: readonly Cases[] = [
  {
    apiVersion: "v1",
    kind: "Service",
    plural: "services",
    base: { spec: { ports: [port], selector: { app: "web" } } },
    create: services,
    update: serviceUpdates,
    ignore: ["spec.clusterIP", "spec.clusterIPs", "spec.ipFamilies", "spec.ipFamilyPolicy", "spec.ports.*.nodePort"],
  },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    plural: "configmaps",
    base: { data: { a: "b" }, immutable: true },
    create: {
      "bad keys": { data: { "a b": "x", "..": "y" }, binaryData: { "": base64("x") } },
      "keys twice": { binaryData: { a: base64("x") } },
      "too large": { data: { a: "x".repeat(1024 * 1024 + 1) } },
      "nothing in it": { data: undefined, immutable: undefined },
    },
    update: {
      "other data": { data: { a: "c" } },
      "made mutable": { immutable: false },
      "more bytes": { binaryData: { x: base64("y") } },
    },
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    plural: "secrets",
    base: { data: { a: base64("b") }, immutable: true },
    create: secrets,
    update: {
      "another type": { type: "example.com/x" },
      "other data": { data: { a: base64("c") } },
      "made mutable": { immutable: undefined },
      "no type": { type: undefined },
    },
  },
  {
    apiVersion: "v1",
    kind: "Namespace",
    plural: "namespaces",
    clusterWide: true,
    base: {},
    create: { finalizers: { "spec.finalizers": ["example.com/a", "odd", "a b"] } },
    update: { "other finalizers": { "spec.finalizers": ["example.com/a"] } },
  },
  {
    apiVersion: "v1",
    kind: "Node",
    plural: "nodes",
    clusterWide: true,
    base: { spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"], providerID: "a" } },
    create: {
      taints: {
        "spec.taints": [
          { key: "a b", effect: "Odd" },
          { key: "a", value: "b c", effect: "" },
          { key: "x", effect: "NoSchedule" },
          { key: "x", effect: "NoSchedule" },
        ],
      },
      amounts: { status: { capacity: { cpu: "-1", pods: "1.5", memory: "1Gi" } } },
      ranges: { "spec.podCIDRs": ["10.0.0.0/24", "10.1.0.0/24"] },
      "bad ranges": { "spec.podCIDR": "x", "spec.podCIDRs": ["x"] },
    },
    update: {
      "other ranges": { "spec.podCIDR": "10.1.0.0/24", "spec.podCIDRs": ["10.1.0.0/24"] },
      "another provider": { "spec.providerID": "b" },
      cordoned: { "spec.unschedulable": true },
    },
    ignore: ["spec.taints"],
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    base: { secrets: [{ name: "a", namespace: "x", kind: "Secret" }] },
    create: { tokenless: { automountServiceAccountToken: false } },
  },
  {
    apiVersion: "v1",
    kind: "LimitRange",
    plural: "limitranges",
    base: { spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } },
    create: limits,
    update: { "bounds that cross": { "spec.limits": [{ type: "Pod", min: { cpu: "3" }, max: { cpu: "1" } }] } },
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    plural: "resourcequotas",
    base: { spec: { hard: { pods: "5" }, scopes: ["BestEffort"] } },
    create: quotas,
    update: { "other scopes": { "spec.scopes": ["NotBestEffort"] }, "other amounts": { "spec.hard": { pods: "-1" } } },
  },
  {
    apiVersion: "v1",
    kind: "Endpoints",
    plural: "endpoints",
    base: { subsets: [{ addresses: [{ ip: "10.1.1.1" }], ports: [{ port: 80 }] }] },
    create: {
      "nothing in it": { subsets: [{}] },
      "bad addresses": {
        subsets: [
          {
            addresses: [{ ip: "127.0.0.1" }, { ip: "x" }, { ip: "10.0.0.1", hostname: "A", nodeName: "B" }],
            ports: [{ port: 0 }, { port: 1, name: "A", protocol: "X", appProtocol: "a b" }],
          },
        ],
      },
    },
    update: { "bad addresses": { "subsets[0].addresses[0].ip": "x" } },
  },
  {
    apiVersion: "v1",
    kind: "Event",
    plural: "events",
    base: { involvedObject: { kind: "Pod", name: "a", namespace: "kinds-conformance" }, reason: "R" },
    create: {
      "of another namespace": { "involvedObject.namespace": "other" },
      "of no namespace": { "involvedObject.namespace": undefined },
      "a new one": { eventTime: "2024-01-01T00:00:00.000000Z" },
      "a good new one": {
        eventTime: "2024-01-01T00:00:00.000000Z",
        reportingComponent: "example.com/x",
        reportingInstance: "i",
        action: "a",
      },
      "a long one": {
        eventTime: "2024-01-01T00:00:00.000000Z",
        reportingComponent: "a b",
        reportingInstance: "i".repeat(200),
        action: "a".repeat(200),
        reason: "r".repeat(200),
        message: "m".repeat(2000),
      },
    },
    update: { "another message": { message: "x" } },
  },
  {
    apiVersion: "v1",
    kind: "PodTemplate",
    plural: "podtemplates",
    base: { template: { spec: { containers: [{ name: "a", image: "b" }] } } },
    create: { "a bad one": { "template.spec.containers": [{ name: "A" }] } },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    base: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    create: claims,
    update: {
      "another mode": { "spec.accessModes": ["ReadOnlyMany"] },
      "a class": { "spec.storageClassName": "fast" },
      "a volume": { "spec.volumeName": "v" },
      "another size": { "spec.resources.requests.storage": "2Gi" },
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    plural: "persistentvolumes",
    clusterWide: true,
    base: { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } } },
    create: volumes,
    update: {
      "another source": { "spec.hostPath.path": "/b" },
      "another size": { "spec.capacity.storage": "2Gi" },
      "another mode": { "spec.volumeMode": "Block" },
    },
    ignore: ["status.lastPhaseTransitionTime"],
  },
];
