/** The kinds of scaling, policy, coordination and certificates, valid and not. */
import type { Cases, Change } from "../differential.js";

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };

const object = { apiVersion: "v1", kind: "Service", name: "a" };

const value = { type: "Value", value: "10" };

const average = { type: "AverageValue", averageValue: "10" };

const autoscalers: Readonly<Record<string, Change>> = {
  "no minimum": { "spec.minReplicas": undefined, "spec.metrics": undefined },
  "bad bounds": { "spec.minReplicas": 0, "spec.maxReplicas": 0 },
  "crossed bounds": { "spec.minReplicas": 5, "spec.maxReplicas": 4 },
  "a bad target": { "spec.scaleTargetRef": { apiVersion: "a/b/c", kind: "a/b", name: "a/b" } },
  "no target": { "spec.scaleTargetRef": { kind: "", name: "" } },
  "all metrics": {
    "spec.metrics": [
      cpu,
      { type: "Pods", pods: { metric: { name: "a" }, target: average } },
      { type: "Object", object: { describedObject: object, metric: { name: "a" }, target: value } },
      { type: "External", external: { metric: { name: "a", selector: { matchLabels: { a: "b" } } }, target: average } },
      { type: "ContainerResource", containerResource: { name: "memory", container: "a", target: average } },
    ],
  },
  "metrics without their parts": {
    "spec.metrics": [
      { type: "Resource" },
      { type: "Pods" },
      { type: "Object" },
      { type: "External" },
      { type: "ContainerResource" },
      { type: "Odd" },
      { type: "" },
    ],
  },
  "metrics with others' parts": {
    "spec.metrics": [{ ...cpu, pods: { metric: { name: "a" }, target: average } }],
  },
  "bad pods": {
    "spec.metrics": [
      { type: "Pods", pods: { metric: { name: "" }, target: value } },
      { type: "Pods", pods: { metric: { name: "a/b" }, target: { type: "AverageValue", averageValue: "-1" } } },
      { type: "Pods", pods: { metric: { name: "a", selector: { matchLabels: { "a b": "c" } } }, target: average } },
    ],
  },
  "bad objects": {
    "spec.metrics": [
      {
        type: "Object",
        object: { describedObject: { kind: "", name: "" }, metric: { name: "" }, target: { type: "Value" } },
      },
      {
        type: "Object",
        object: { describedObject: object, metric: { name: "a" }, target: { type: "Odd", value: "0" } },
      },
      {
        type: "Object",
        object: {
          describedObject: object,
          metric: { name: "a" },
          target: { type: "Utilization", averageUtilization: 0 },
        },
      },
    ],
  },
  "bad external ones": {
    "spec.metrics": [
      { type: "External", external: { metric: { name: "" }, target: { type: "Value" } } },
      {
        type: "External",
        external: { metric: { name: "a" }, target: { type: "Value", value: "1", averageValue: "2" } },
      },
      { type: "External", external: { metric: { name: "a/b" }, target: { type: "Value", value: "-1" } } },
    ],
  },
  "bad resources": {
    "spec.metrics": [
      { type: "Resource", resource: { name: "", target: { type: "Utilization" } } },
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 0 } } },
      { type: "Resource", resource: { name: "cpu", target: { type: "Value", value: "1" } } },
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "AverageValue", averageValue: "0", averageUtilization: 5 } },
      },
      { type: "ContainerResource", containerResource: { name: "", container: "", target: { type: "" } } },
      { type: "ContainerResource", containerResource: { name: "cpu", container: "A_b", target: average } },
    ],
  },
  behaviour: { "spec.behavior": { scaleDown: { stabilizationWindowSeconds: 5 } } },
  "both behaviours": {
    "spec.behavior": {
      scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 1 }], selectPolicy: "Disabled" },
      scaleDown: {},
    },
  },
  "bad behaviour": {
    "spec.behavior": {
      scaleUp: {
        stabilizationWindowSeconds: -1,
        selectPolicy: "Odd",
        policies: [
          { type: "Odd", value: 0, periodSeconds: 0 },
          { type: "Pods", value: -1, periodSeconds: 1801 },
        ],
      },
      scaleDown: { stabilizationWindowSeconds: 3601 },
    },
  },
  tolerance: { "spec.behavior": { scaleDown: { tolerance: "0.1" } } },
};

const budgets: Readonly<Record<string, Change>> = {
  both: { "spec.minAvailable": 1, "spec.maxUnavailable": 1 },
  neither: { "spec.minAvailable": undefined },
  "a share": { "spec.minAvailable": "50%" },
  "a bad share": { "spec.minAvailable": "150%" },
  "no number": { "spec.minAvailable": "x" },
  "less than none": { "spec.minAvailable": -1 },
  "unavailable less than none": { "spec.minAvailable": undefined, "spec.maxUnavailable": -1 },
  "a bad selector": { "spec.selector": { matchLabels: { "a b": "c" } } },
  "an odd policy": { "spec.unhealthyPodEvictionPolicy": "Odd" },
  "a policy": { "spec.unhealthyPodEvictionPolicy": "AlwaysAllow" },
  "no selector": { "spec.selector": undefined },
};

const leases: Readonly<Record<string, Change>> = {
  "nothing said": { spec: undefined },
  "all that may be said": {
    spec: {
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      acquireTime: "2024-01-01T00:00:00.000000Z",
      renewTime: "2024-01-01T00:00:00.000000Z",
      leaseTransitions: 1,
    },
  },
  "bad numbers": { "spec.leaseDurationSeconds": 0, "spec.leaseTransitions": -1 },
  "an empty holder": { "spec.holderIdentity": "" },
  "a strategy": { "spec.strategy": "OldestEmulationVersion", "spec.holderIdentity": "me" },
  "a preferred one": { "spec.strategy": "OldestEmulationVersion", "spec.preferredHolder": "you" },
  "a preferred one alone": { "spec.preferredHolder": "you" },
};

/** A request as openssl makes one, for a key that nobody kept. */
const csr = Buffer.from(
  `-----BEGIN CERTIFICATE REQUEST-----
MIHMMHMCAQAwETEPMA0GA1UEAwwGbXktY3NyMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAE8vUmO+fFMLIriWV0jMBf/60UOHePZ/IEmCyi5qJ2Gn9drjIovmEi1iEL
E9NojVsuJGa+8YiQshJhQdjTYAmKxqAAMAoGCCqGSM49BAMCA0kAMEYCIQDMzB5N
otnroI3/ewuLLTdDVugKLokMw1fsQw0tXYKqVwIhANMZIiYtAqktEvbFDCHAt8pb
6w0O5FKPBPsQh8cEbxwE
-----END CERTIFICATE REQUEST-----
`,
).toString("base64");

const runtimes: Readonly<Record<string, Change>> = {
  "no handler": { handler: undefined },
  "a bad handler": { handler: "A_b" },
  overhead: { overhead: { podFixed: { cpu: "100m", memory: "1Gi" } } },
  "bad overhead": { overhead: { podFixed: { cpu: "-1", "odd thing": "1", hugepages: "1" } } },
  scheduling: { scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "a", operator: "Exists" }] } },
  "bad scheduling": {
    scheduling: {
      nodeSelector: { "a b": "c d" },
      tolerations: [
        { operator: "Odd" },
        { key: "a", operator: "Exists", value: "b" },
        { key: "a b" },
        { key: "a", operator: "Exists" },
        { key: "a", operator: "Exists" },
      ],
    },
  },
};

const subjects = [{ kind: "User", user: { name: "a" } }];

const resourceRules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["a"] }];

const flowSchemas: Readonly<Record<string, Change>> = {
  "all that may be said": {
    "spec.distinguisherMethod": { type: "ByUser" },
    "spec.rules": [{ subjects, resourceRules, nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/a/*", "/"] }] }],
  },
  "too high": { "spec.matchingPrecedence": 10_001 },
  "too low": { "spec.matchingPrecedence": -1 },
  "the lowest": { "spec.matchingPrecedence": 1 },
  "an odd method": { "spec.distinguisherMethod": { type: "Odd" } },
  "no level": { "spec.priorityLevelConfiguration.name": "" },
  "a bad level": { "spec.priorityLevelConfiguration.name": "A" },
  "no rules": { "spec.rules": [{}] },
  "bad subjects": {
    "spec.rules": [
      {
        resourceRules,
        subjects: [
          { kind: "Odd" },
          { kind: "User", group: { name: "a" }, serviceAccount: { name: "a", namespace: "b" } },
          { kind: "Group", group: { name: "" }, user: { name: "a" } },
          { kind: "ServiceAccount", serviceAccount: { name: "", namespace: "" }, group: { name: "a" } },
          { kind: "ServiceAccount", serviceAccount: { name: "A", namespace: "B" } },
          { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "b" } },
          { kind: "ServiceAccount" },
        ],
      },
    ],
  },
  "bad resources": {
    "spec.rules": [
      {
        subjects,
        resourceRules: [
          {},
          { verbs: ["*", "get"], apiGroups: ["*", "a"], resources: ["*", "a"], namespaces: ["*", "a"] },
          { verbs: ["odd"], apiGroups: ["a"], resources: ["a"], namespaces: ["A"] },
          { verbs: ["get"], apiGroups: ["a"], resources: ["a"], clusterScope: true },
        ],
      },
    ],
  },
  "bad paths": {
    "spec.rules": [
      {
        subjects,
        nonResourceRules: [
          {},
          { verbs: ["get"], nonResourceURLs: ["", "a", "/a b", "/a//b", "/a*", "/*/*", "/a/*"] },
          { verbs: ["get"], nonResourceURLs: ["*", "/a"] },
        ],
      },
    ],
  },
};

const priorityLevels: Readonly<Record<string, Change>> = {
  rejecting: { "spec.limited.limitResponse": { type: "Reject" } },
  "rejecting with queues": { "spec.limited.limitResponse.type": "Reject" },
  "no type": { "spec.type": undefined },
  "an odd type": { "spec.type": "Odd" },
  exempt: { "spec.type": "Exempt" },
  "nothing said": { "spec.limited": undefined },
  "exempt settings": { "spec.exempt": {} },
  "no response": { "spec.limited.limitResponse": undefined },
  "an odd response": { "spec.limited.limitResponse.type": "Odd" },
  "no queues": { "spec.limited.limitResponse.queuing": undefined },
  "bad queues": { "spec.limited.limitResponse.queuing": { queues: -1, handSize: -1, queueLengthLimit: -1 } },
  "a big hand": { "spec.limited.limitResponse.queuing": { queues: 4, handSize: 5 } },
  "a hand too big": { "spec.limited.limitResponse.queuing": { queues: 1_000_000, handSize: 8 } },
  "many queues": { "spec.limited.limitResponse.queuing": { queues: 10_000_001, handSize: 1 } },
  "bad shares": {
    "spec.limited.nominalConcurrencyShares": -1,
    "spec.limited.lendablePercent": 101,
    "spec.limited.borrowingLimitPercent": -1,
  },
};

export const policyCases: readonly Cases[] = [
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
    base: {
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
        maxReplicas: 5,
        metrics: [cpu],
      },
    },
    create: autoscalers,
    update: { "bad bounds": { "spec.maxReplicas": 0 }, behaviour: { "spec.behavior": { scaleUp: {} } } },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    base: { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
    create: budgets,
    update: {
      "another number": { "spec.minAvailable": 2 },
      "a bad number": { "spec.minAvailable": -2 },
      "another selector": { "spec.selector": { matchLabels: { a: "c" } } },
    },
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    plural: "priorityclasses",
    clusterWide: true,
    base: { value: 10 },
    create: {
      "all that may be said": { description: "a", preemptionPolicy: "Never", globalDefault: true },
      "a system name": { "metadata.name": "system-a" },
      "too high": { value: 1_000_000_001 },
      "an odd policy": { preemptionPolicy: "Odd" },
      "no value": { value: undefined },
    },
    update: {
      "another value": { value: 11 },
      "another policy": { preemptionPolicy: "Never" },
      words: { description: "b" },
    },
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    plural: "leases",
    base: { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
    create: leases,
    update: { "bad numbers": { "spec.leaseDurationSeconds": 0 }, "another holder": { "spec.holderIdentity": "you" } },
  },
  {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    plural: "runtimeclasses",
    clusterWide: true,
    base: { handler: "runc" },
    create: runtimes,
    update: { "another handler": { handler: "runsc" }, overhead: { overhead: { podFixed: { cpu: "1" } } } },
  },
  {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    plural: "flowschemas",
    clusterWide: true,
    base: { spec: { priorityLevelConfiguration: { name: "global-default" } } },
    // the server itself writes their status, so that an update would meet a conflict
    create: flowSchemas,
  },
  {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    plural: "prioritylevelconfigurations",
    clusterWide: true,
    base: { spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } } },
    create: priorityLevels,
    update: { "other shares": { "spec.limited.nominalConcurrencyShares": 5 } },
  },
  {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    plural: "certificatesigningrequests",
    clusterWide: true,
    base: { spec: { request: csr, signerName: "example.com/a", usages: ["digital signature"] } },
    create: {
      "no request": { "spec.request": undefined },
      "no real request": { "spec.request": Buffer.from("x").toString("base64") },
      "no signer": { "spec.signerName": undefined },
      "bad signers": { "spec.signerName": "a" },
      "another bad signer": { "spec.signerName": "A_/b c" },
      "a legacy signer": { "spec.signerName": "kubernetes.io/legacy-unknown" },
      "no usages": { "spec.usages": undefined },
      "odd usages": { "spec.usages": ["odd", "any", "any"] },
      "too short": { "spec.expirationSeconds": 599 },
      "long enough": { "spec.expirationSeconds": 600 },
    },
    update: { "another signer": { "spec.signerName": "example.com/b" }, labels: { "metadata.labels": { a: "b" } } },
  },
];
