/** Everything that makes pods from a template, valid and not. */
import type { Cases, Change } from "../differential.js";

const selector = { matchLabels: { app: "web" } };
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "a:1" }] } };

const templates: Readonly<Record<string, Change>> = {
  "no selector": { "spec.selector": undefined },
  "an empty selector": { "spec.selector": {} },
  "a bad selector": {
    "spec.selector": {
      matchLabels: { "a b": "c" },
      matchExpressions: [
        { key: "x", operator: "Odd" },
        { key: "y", operator: "In" },
      ],
    },
  },
  "a selector that misses": { "spec.selector.matchLabels": { app: "db" } },
  "no template": { "spec.template": undefined },
  "labels gone wrong": { "spec.template.metadata.labels": { app: "web", "a b": "c d" } },
  "annotations gone wrong": { "spec.template.metadata.annotations": { "a b": "c" } },
  "no containers": { "spec.template.spec.containers": [] },
  "a bad container": { "spec.template.spec.containers[0]": { name: "A", image: "" } },
  "a policy that is none": { "spec.template.spec.restartPolicy": "Odd" },
  "never restarted": { "spec.template.spec.restartPolicy": "Never" },
  "a deadline": { "spec.template.spec.activeDeadlineSeconds": 3 },
  "ephemeral containers": { "spec.template.spec.ephemeralContainers": [{ name: "e", image: "a" }] },
  "a blank image": { "spec.template.spec.containers[0].image": " " },
  "host ports left open": {
    "spec.template.spec.hostNetwork": true,
    "spec.template.spec.containers[0].ports": [{ containerPort: 80 }],
  },
  "limits without requests": { "spec.template.spec.containers[0].resources": { limits: { cpu: "0.5" } } },
  "negative numbers": { "spec.replicas": -1, "spec.minReadySeconds": -1, "spec.revisionHistoryLimit": -1 },
};

const templateUpdates: Readonly<Record<string, Change>> = {
  "another selector": { "spec.selector.matchLabels": { app: "db" }, "spec.template.metadata.labels": { app: "db" } },
  "another image": { "spec.template.spec.containers[0].image": "b:2" },
  "more of them": { "spec.replicas": 7 },
  "fewer than none": { "spec.replicas": -7 },
  "an annotation": { "metadata.annotations": { a: "b" } },
};

const jobTemplate = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "a:1" }] } };

const jobs: Readonly<Record<string, Change>> = {
  "many at once": { "spec.parallelism": 3 },
  "many in all": { "spec.completions": 5 },
  indexed: {
    "spec.completions": 5,
    "spec.completionMode": "Indexed",
    "spec.backoffLimitPerIndex": 1,
    "spec.maxFailedIndexes": 2,
  },
  labels: { "spec.template.metadata": { labels: { a: "b" } } },
  "negative numbers": {
    "spec.parallelism": -1,
    "spec.completions": -1,
    "spec.activeDeadlineSeconds": -1,
    "spec.backoffLimit": -1,
    "spec.ttlSecondsAfterFinished": -1,
  },
  "indexed without a number": { "spec.completionMode": "Indexed", "spec.parallelism": 200000 },
  "limits without an index": { "spec.backoffLimitPerIndex": 1, "spec.maxFailedIndexes": 1 },
  "no limit for each index": { "spec.maxFailedIndexes": 1 },
  "a mode that is none": { "spec.completionMode": "Odd" },
  "very many": {
    "spec.completions": 200000,
    "spec.parallelism": 20000,
    "spec.completionMode": "Indexed",
    "spec.backoffLimitPerIndex": 1,
  },
  "always restarted": { "spec.template.spec.restartPolicy": "Always" },
  "an odd policy": { "spec.template.spec.restartPolicy": "Odd" },
  "a manager": { "spec.managedBy": "nobody" },
  "a long manager": { "spec.managedBy": `example.com/${"a".repeat(60)}` },
  "a selector of its own": { "spec.selector": { matchLabels: { a: "b" } } },
  "labels of its own": { "spec.template.metadata": { labels: { "controller-uid": "x", "job-name": "y" } } },
  "a manual selector": {
    "spec.manualSelector": true,
    "spec.selector": { matchLabels: { a: "b" } },
    "spec.template.metadata": { labels: { a: "b" } },
  },
  "a manual selector that is missing": { "spec.manualSelector": true },
  "failure rules": {
    "spec.podFailurePolicy": {
      rules: [
        { action: "" },
        { action: "Odd", onExitCodes: { operator: "", values: [] } },
        { action: "Ignore", onExitCodes: { operator: "In", values: [3, 0, 3], containerName: "nobody" } },
        { action: "FailIndex", onPodConditions: [{ type: "a b" }, { type: "Ready", status: "Odd" }] },
        { action: "Count", onExitCodes: { operator: "Odd", values: [1] }, onPodConditions: [{ type: "Ready" }] },
      ],
    },
    "spec.podReplacementPolicy": "TerminatingOrFailed",
    "spec.template.spec.restartPolicy": "OnFailure",
  },
  "good failure rules": {
    "spec.podFailurePolicy": { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] },
  },
  "success rules": {
    "spec.completions": 4,
    "spec.completionMode": "Indexed",
    "spec.successPolicy": {
      rules: [
        {},
        { succeededIndexes: "0,2-9" },
        { succeededIndexes: "3,1" },
        { succeededIndexes: "0-1", succeededCount: 3 },
        { succeededCount: 9 },
        { succeededIndexes: "x" },
      ],
    },
  },
  "success rules without indexes": { "spec.successPolicy": { rules: [{ succeededCount: 1 }] } },
  "a replacement that is none": { "spec.podReplacementPolicy": "Odd" },
};

const jobUpdates: Readonly<Record<string, Change>> = {
  "more at once": { "spec.parallelism": 4 },
  "more in all": { "spec.completions": 4 },
  "another template": { "spec.template.spec.containers[0].image": "b" },
  suspended: { "spec.suspend": true },
  "another mode": { "spec.completionMode": "Indexed" },
  "another manager": { "spec.managedBy": "example.com/x" },
  "a policy": { "spec.podFailurePolicy": { rules: [{ action: "Ignore", onPodConditions: [{ type: "A" }] }] } },
};

const crons: Readonly<Record<string, Change>> = Object.fromEntries([
  ...[
    "",
    "* * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 7",
    "a * * * *",
    "1-2-3 * * * *",
    "5-1 * * * *",
    "*/0 * * * *",
    "*/5/5 * * * *",
    "-1 * * * *",
    "@hourly",
    "@sometimes",
    "@every 5m",
    "@every x",
    "TZ=UTC * * * * *",
    "TZ=Nowhere * * * * *",
    "0 0 1 jan mon-fri",
    "1,2,70 * * * *",
  ].map((schedule) => [`schedule ${schedule}`, { "spec.schedule": schedule }]),
  ...["", "UTC", "Europe/Berlin", "Nowhere/Land", "Local", "../etc", "Etc/GMT+5"].map((zone) => [
    `zone ${zone}`,
    { "spec.timeZone": zone },
  ]),
  ["an odd policy", { "spec.concurrencyPolicy": "Odd" }],
  [
    "negative numbers",
    { "spec.startingDeadlineSeconds": -1, "spec.successfulJobsHistoryLimit": -1, "spec.failedJobsHistoryLimit": -1 },
  ],
  [
    "a selector",
    { "spec.jobTemplate.spec.selector": { matchLabels: { a: "b" } }, "spec.jobTemplate.spec.manualSelector": true },
  ],
  ["a bad job", { "spec.jobTemplate.spec.template.spec": { containers: [{ name: "A", image: "" }] } }],
  ["a long name", { "metadata.name": "a".repeat(53) }],
]);

export const workloadCases: readonly Cases[] = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    plural: "deployments",
    base: { spec: { selector, template } },
    create: {
      ...templates,
      "all at once": { "spec.strategy": { type: "Recreate" } },
      "both strategies": { "spec.strategy": { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
      "no strategy known": { "spec.strategy": { type: "Odd" } },
      "no progress": { "spec.strategy": { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } },
      "too much": { "spec.strategy": { rollingUpdate: { maxSurge: "a", maxUnavailable: "101%" } } },
      "less than nothing": { "spec.strategy": { rollingUpdate: { maxSurge: -1, maxUnavailable: -1 } } },
      "a short deadline": { "spec.progressDeadlineSeconds": 5, "spec.minReadySeconds": 5 },
      "no deadline": { "spec.progressDeadlineSeconds": 0 },
    },
    update: templateUpdates,
  },
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    plural: "replicasets",
    base: { spec: { selector, template } },
    create: templates,
    update: templateUpdates,
  },
  {
    apiVersion: "v1",
    kind: "ReplicationController",
    plural: "replicationcontrollers",
    base: { spec: { template } },
    create: {
      "a selector that misses": { "spec.selector": { app: "db" } },
      "no labels": { "spec.template.metadata": undefined },
      "no template": { "spec.template": undefined },
      "never restarted": { "spec.template.spec.restartPolicy": "Never" },
      "negative numbers": { "spec.replicas": -1, "spec.minReadySeconds": -1 },
    },
    update: { "another image": { "spec.template.spec.containers[0].image": "b:2" }, fewer: { "spec.replicas": -2 } },
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    plural: "daemonsets",
    base: { spec: { selector, template } },
    create: {
      ...templates,
      "on delete": { "spec.updateStrategy": { type: "OnDelete" } },
      "no strategy known": { "spec.updateStrategy": { type: "Odd" } },
      "surge and unavailable": { "spec.updateStrategy": { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } },
      "surge alone": { "spec.updateStrategy": { rollingUpdate: { maxSurge: "10%", maxUnavailable: 0 } } },
      neither: { "spec.updateStrategy": { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      "too much": { "spec.updateStrategy": { rollingUpdate: { maxSurge: 0, maxUnavailable: "200%" } } },
    },
    update: templateUpdates,
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    plural: "statefulsets",
    base: { spec: { selector, template, serviceName: "web" } },
    create: {
      ...templates,
      "an odd policy": { "spec.podManagementPolicy": "Odd" },
      "in parallel": { "spec.podManagementPolicy": "Parallel" },
      "on delete": { "spec.updateStrategy": { type: "OnDelete" } },
      "on delete and rolling": { "spec.updateStrategy": { type: "OnDelete", rollingUpdate: { partition: 1 } } },
      "no strategy known": { "spec.updateStrategy": { type: "Odd" } },
      "rolling said": { "spec.updateStrategy": { type: "RollingUpdate" } },
      "a bad partition": { "spec.updateStrategy": { rollingUpdate: { partition: -1 } } },
      "odd retention": { "spec.persistentVolumeClaimRetentionPolicy": { whenDeleted: "Odd" } },
      "a bad service": { "spec.serviceName": "A.b" },
      "a bad start": { "spec.ordinals": { start: -1 } },
      claims: {
        "spec.volumeClaimTemplates": [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
        "spec.template.spec.containers[0].volumeMounts": [{ name: "data", mountPath: "/data" }],
      },
      "bad claims": { "spec.volumeClaimTemplates": [{ metadata: { name: "data" }, spec: { accessModes: [] } }] },
    },
    update: {
      ...templateUpdates,
      "another service": { "spec.serviceName": "other" },
      "another policy": { "spec.podManagementPolicy": "Parallel" },
      "another partition": { "spec.updateStrategy.rollingUpdate.partition": 3 },
    },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    plural: "jobs",
    base: { spec: { template: jobTemplate } },
    create: jobs,
    update: jobUpdates,
    ignore: ["spec.selector", "spec.template.metadata"],
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    plural: "cronjobs",
    base: { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } } } },
    create: crons,
    update: {
      "another schedule": { "spec.schedule": "x" },
      "another zone": { "spec.timeZone": "Nowhere" },
      suspended: { "spec.suspend": true },
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    plural: "controllerrevisions",
    base: { revision: 1, data: { a: 1 } },
    create: {
      "no data": { data: undefined },
      "less than none": { revision: -1 },
      "no revision": { revision: undefined },
      "data of a list": { data: [1] },
    },
    update: {
      "other data": { data: { a: 2 } },
      "a later revision": { revision: 2 },
      "less than none": { revision: -1 },
    },
  },
];
