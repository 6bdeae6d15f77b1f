/** Objects that are valid but unwise, about which a server warns. */
import type { Cases, Change } from "../differential.js";

const container = "spec.containers[0]";
const seccomp = "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]";
const ofContainer = "container.seccomp.security.alpha.kubernetes.io/main";
const appArmor = "metadata.annotations[container.apparmor.security.beta.kubernetes.io/main]";
const nodeLabel = { key: "beta.kubernetes.io/os", operator: "In", values: ["linux"] };

const pods: Readonly<Record<string, Change>> = {
  "a name that is no label": { "metadata.name": "a.b" },
  "old labels of nodes": {
    "spec.nodeSelector": { "beta.kubernetes.io/arch": "arm64" },
    "spec.affinity.nodeAffinity": {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [nodeLabel] }] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [nodeLabel] } }],
    },
    "spec.topologySpreadConstraints": [
      { maxSkew: 1, topologyKey: "failure-domain.beta.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
    ],
  },
  "terms that match nothing": {
    "spec.affinity.podAffinity": {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "a" }],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: "a" } }],
    },
    "spec.affinity.podAntiAffinity": { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "a" }] },
  },
  "old annotations": {
    "metadata.annotations": {
      "scheduler.alpha.kubernetes.io/critical-pod": "",
      "security.alpha.kubernetes.io/sysctls": "",
      "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
      [ofContainer]: "runtime/default",
    },
  },
  "AppArmor by annotation": { [appArmor]: "runtime/default" },
  "a local AppArmor profile by annotation": { [appArmor]: "localhost/a" },
  "AppArmor by annotation and for all": {
    [appArmor]: "runtime/default",
    "spec.securityContext.appArmorProfile.type": "RuntimeDefault",
  },
  "AppArmor that differs": {
    [appArmor]: "unconfined",
    [`${container}.securityContext.appArmorProfile.type`]: "RuntimeDefault",
  },
  "local AppArmor that differs": {
    [appArmor]: "localhost/a",
    [`${container}.securityContext.appArmorProfile`]: { type: "Localhost", localhostProfile: "b" },
  },
  "seccomp that differs": {
    [seccomp]: "unconfined",
    "spec.securityContext.seccompProfile.type": "RuntimeDefault",
    [`metadata.annotations[${ofContainer}]`]: "localhost/a",
    [`${container}.securityContext.seccompProfile`]: { type: "Localhost", localhostProfile: "b" },
  },
  "seccomp that is the same": {
    [seccomp]: "docker/default",
    "spec.securityContext.seccompProfile.type": "RuntimeDefault",
  },
  "old volumes": {
    "spec.volumes": [
      { name: "a", gitRepo: { repository: "x" } },
      { name: "b", flocker: { datasetName: "x" } },
      { name: "c", quobyte: { registry: "a:1", volume: "v" } },
      { name: "d", glusterfs: { endpoints: "e", path: "p" } },
      { name: "e", cephfs: { monitors: ["m"] } },
      { name: "f", storageos: { volumeName: "v" } },
      { name: "g", photonPersistentDisk: { pdID: "p" } },
    ],
  },
  "a claim of parts of bytes": {
    "spec.volumes": [
      {
        name: "a",
        ephemeral: {
          volumeClaimTemplate: {
            spec: {
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: "1500m" }, limits: { storage: "2500m" } },
            },
          },
        },
      },
    ],
  },
  "files in the same place": {
    "spec.volumes": [
      {
        name: "a",
        configMap: {
          name: "c",
          items: [
            { key: "a", path: "x" },
            { key: "b", path: "x/y" },
            { key: "c", path: "x" },
          ],
        },
      },
      {
        name: "b",
        secret: {
          secretName: "s",
          items: [
            { key: "a", path: "x" },
            { key: "b", path: "x" },
          ],
        },
      },
      {
        name: "c",
        downwardAPI: {
          items: [
            { path: "a", fieldRef: { fieldPath: "metadata.name" } },
            { path: "a/b", fieldRef: { fieldPath: "metadata.name" } },
          ],
        },
      },
      {
        name: "d",
        projected: {
          sources: [
            { configMap: { name: "c", items: [{ key: "a", path: "x" }] } },
            { secret: { name: "s", items: [{ key: "a", path: "x/y" }] } },
            { serviceAccountToken: { path: "x/y/z" } },
          ],
        },
      },
    ],
  },
  "said twice": {
    "spec.hostAliases": [
      { ip: "10.0.0.1", hostnames: ["a"] },
      { ip: "10.0.0.1", hostnames: ["b"] },
      { ip: "2001:DB8::1", hostnames: ["c"] },
    ],
    "spec.imagePullSecrets": [{ name: "a" }, { name: "a" }, { name: "" }],
    "spec.dnsConfig": { nameservers: ["2001:db8:0::1"] },
    [`${container}.env`]: [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
      { name: "A", value: "$(A)3" },
      { name: "A", value: "$(A)" },
      { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
  },
  "parts of bytes": {
    [`${container}.resources`]: {
      requests: { memory: "1500m", "ephemeral-storage": "1500m" },
      limits: { memory: "2500m", "ephemeral-storage": "2500m" },
    },
  },
  "ports that meet": {
    [`${container}.ports`]: [
      { containerPort: 80, name: "a" },
      { containerPort: 80, name: "b" },
      { containerPort: 80, hostPort: 81 },
      { containerPort: 80, hostPort: 81, hostIP: "10.0.0.1" },
      { containerPort: 82, hostIP: "10.0.0.1" },
    ],
    "spec.containers[1]": { name: "other", image: "b", ports: [{ containerPort: 90, name: "a" }] },
  },
  "less than no grace": { "spec.terminationGracePeriodSeconds": -5 },
};

const template = {
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "main", image: "busybox:1" }] },
};
const unwiseTemplate: Readonly<Record<string, Change>> = {
  "a name that is no label": { "metadata.name": "a.b" },
  "an unwise template": {
    "spec.template.spec.nodeSelector": { "beta.kubernetes.io/os": "linux" },
    "spec.template.metadata.annotations": {
      "container.apparmor.security.beta.kubernetes.io/main": "runtime/default",
      "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
    },
  },
  "seccomp that differs": {
    "spec.template.metadata.annotations": { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" },
    "spec.template.spec.securityContext": { seccompProfile: { type: "RuntimeDefault" } },
  },
};
const unwiseChange: Readonly<Record<string, Change>> = {
  "an unwise template": { "spec.template.spec.nodeSelector": { "beta.kubernetes.io/os": "linux" } },
  "a label": { "metadata.labels": { c: "d" } },
};
const selector = { matchLabels: { a: "b" } };

const cases: readonly Cases[] = [
  {
    apiVersion: "v1",
    kind: "Pod",
    plural: "pods",
    base: { spec: { containers: [{ name: "main", image: "busybox:1" }] } },
    create: pods,
    update: { "a label": { "metadata.labels": { a: "b" } } },
    ignore: ["spec.priority", "spec.preemptionPolicy", "spec.tolerations"],
  },
  ...["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"].map((kind) => ({
    apiVersion: "apps/v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    base: { spec: { selector, template, ...(kind === "StatefulSet" ? { serviceName: "a" } : {}) } },
    create: {
      ...(kind === "StatefulSet" || kind === "DaemonSet"
        ? {}
        : { "a name that is no label": { "metadata.name": "a.b" } }),
      ...unwiseTemplate,
      ...(kind === "StatefulSet"
        ? {
            "claims of parts of bytes": {
              "spec.volumeClaimTemplates": [
                {
                  metadata: { name: "a" },
                  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
                },
              ],
            },
          }
        : {}),
    },
    update: unwiseChange,
  })),
  {
    apiVersion: "batch/v1",
    kind: "Job",
    plural: "jobs",
    ignore: ["spec.selector", "spec.template.metadata"],
    base: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
    create: {
      ...unwiseTemplate,
      "many indexes": { "spec.completionMode": "Indexed", "spec.completions": 100_001, "spec.parallelism": 10_001 },
    },
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    plural: "cronjobs",
    base: {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    },
    create: {
      "a name that is no label": { "metadata.name": "a.b" },
      "an unwise template": {
        "spec.jobTemplate.spec.template.spec.nodeSelector": { "beta.kubernetes.io/os": "linux" },
      },
    },
    update: {
      "an unwise template": {
        "spec.jobTemplate.spec.template.spec.nodeSelector": { "beta.kubernetes.io/os": "linux" },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    plural: "services",
    base: { spec: { ports: [{ port: 80 }], selector: { a: "b" } } },
    create: {
      "hints by annotation": { "metadata.annotations[service.kubernetes.io/topology-aware-hints]": "auto" },
      "headless with all": {
        "spec.clusterIP": "None",
        "spec.externalIPs": ["1.2.3.4"],
        "spec.sessionAffinity": "ClientIP",
        "spec.loadBalancerIP": "1.2.3.4",
      },
      "addresses in long form": {
        "spec.externalIPs": ["2001:DB8::1"],
        "spec.type": "LoadBalancer",
        "spec.loadBalancerIP": "2001:db8:0::1",
        "spec.loadBalancerSourceRanges": ["2001:DB8::/32"],
      },
      "a name with addresses": {
        "spec.type": "ExternalName",
        "spec.externalName": "example.com",
        "spec.externalIPs": ["1.2.3.4"],
      },
      "a name for nothing": { "spec.externalName": "example.com" },
    },
    ignore: [
      "spec.clusterIP",
      "spec.clusterIPs",
      "spec.ipFamilies",
      "spec.ipFamilyPolicy",
      "spec.ports.*.nodePort",
      "spec.healthCheckNodePort",
    ],
  },
  {
    apiVersion: "v1",
    kind: "Node",
    plural: "nodes",
    clusterWide: true,
    base: {},
    create: {
      "old fields": { "spec.externalID": "a" },
      "ranges in long form": { "spec.podCIDR": "2001:DB8::/64", "spec.podCIDRs": ["2001:DB8::/64"] },
    },
    ignore: ["spec.taints"],
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    plural: "persistentvolumes",
    clusterWide: true,
    base: { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } } },
    create: {
      "old annotations": {
        "metadata.annotations": {
          "volume.beta.kubernetes.io/storage-class": "a",
          "volume.beta.kubernetes.io/mount-options": "b",
        },
      },
      recycled: { "spec.persistentVolumeReclaimPolicy": "Recycle" },
      "an old kind": { "spec.hostPath": undefined, "spec.rbd": { monitors: ["a"], image: "b" } },
      "old labels": { "spec.nodeAffinity.required.nodeSelectorTerms": [{ matchExpressions: [nodeLabel] }] },
    },
    ignore: ["status.lastPhaseTransitionTime"],
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    base: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    create: {
      "an old annotation": { "metadata.annotations[volume.beta.kubernetes.io/storage-class]": "a" },
      "parts of bytes": { "spec.resources.requests.storage": "1500m" },
    },
  },
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    plural: "resourcequotas",
    base: { spec: { hard: { cpu: "2", "limits.cpu": "1", "requests.memory": "2Gi", "limits.memory": "1Gi" } } },
    create: { "as it should be": { "spec.hard": { cpu: "1", "limits.cpu": "2" } } },
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    plural: "secrets",
    base: { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } },
    create: { "a certificate alone": { "data[tls.crt]": Buffer.from("x").toString("base64") } },
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    base: {},
    create: { "an old annotation": { "metadata.annotations[kubernetes.io/enforce-mountable-secrets]": "true" } },
    update: { "an old annotation": { "metadata.annotations[kubernetes.io/enforce-mountable-secrets]": "true" } },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    plural: "networkpolicies",
    base: { spec: { podSelector: {} } },
    create: {
      "ranges in long form": {
        "spec.ingress": [{ from: [{ ipBlock: { cidr: "2001:DB8::/32", except: ["2001:DB8:1::/48"] } }] }],
        "spec.egress": [{ to: [{ ipBlock: { cidr: "2001:DB8::/32" } }] }],
      },
    },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    plural: "endpointslices",
    base: { addressType: "FQDN", endpoints: [{ addresses: ["example.com"] }], ports: [{ port: 80 }] },
  },
  {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    plural: "runtimeclasses",
    clusterWide: true,
    base: { handler: "runc", scheduling: { nodeSelector: { "beta.kubernetes.io/os": "linux" } } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    plural: "storageclasses",
    clusterWide: true,
    base: {
      provisioner: "example.com/a",
      allowedTopologies: [{ matchLabelExpressions: [{ key: "beta.kubernetes.io/os", values: ["a"] }] }],
    },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    plural: "csistoragecapacities",
    base: { storageClassName: "a", nodeTopology: { matchLabels: { "beta.kubernetes.io/os": "b" } } },
  },
];

export const unwiseCases: readonly Cases[] = cases.map((one) => ({ ...one, name: `unwise-${one.kind.toLowerCase()}` }));
