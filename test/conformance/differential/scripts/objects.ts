/** One valid object of many kinds. To scripts that create them. */
import { object } from "../script.js";

const pod = { containers: [{ name: "c", image: "nginx:1.25", ports: [{ containerPort: 80 }] }] };
const template = { metadata: { labels: { app: "x" } }, spec: pod };
const selector = { matchLabels: { app: "x" } };

export interface Sample {
  /** group/version, `v1` for core. */
  readonly version: string;
  readonly plural: string;
  readonly clusterWide?: boolean;
  readonly object: object;
}

const sample = (version: string, plural: string, kind: string, rest: object, clusterWide = false): Sample => ({
  version,
  plural,
  object: object(version, kind, `sample-${plural}`, rest),
  ...(clusterWide ? { clusterWide } : {}),
});

export const samples: readonly Sample[] = [
  sample("v1", "pods", "Pod", { spec: pod }),
  sample("v1", "services", "Service", { spec: { selector: { app: "x" }, ports: [{ port: 80 }] } }),
  sample("v1", "secrets", "Secret", { stringData: { a: "b" }, data: { c: "ZA==" } }),
  sample("v1", "serviceaccounts", "ServiceAccount", {}),
  sample("v1", "endpoints", "Endpoints", { subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }] }),
  sample("v1", "persistentvolumeclaims", "PersistentVolumeClaim", {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
  }),
  sample(
    "v1",
    "persistentvolumes",
    "PersistentVolume",
    { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/x" } } },
    true,
  ),
  sample("v1", "limitranges", "LimitRange", { spec: { limits: [{ type: "Container", default: { cpu: "0.5" } }] } }),
  sample("v1", "resourcequotas", "ResourceQuota", { spec: { hard: { pods: "10" } } }),
  sample("v1", "podtemplates", "PodTemplate", { template }),
  sample("v1", "replicationcontrollers", "ReplicationController", { spec: { template } }),
  sample("v1", "nodes", "Node", { spec: {}, status: { capacity: { cpu: "4" } } }, true),
  sample("v1", "events", "Event", {
    involvedObject: { kind: "Pod", name: "p", namespace: "diff-kinds" },
    reason: "R",
    message: "m",
    type: "Normal",
  }),
  sample("apps/v1", "deployments", "Deployment", { spec: { selector, template } }),
  sample("apps/v1", "replicasets", "ReplicaSet", { spec: { selector, template } }),
  sample("apps/v1", "statefulsets", "StatefulSet", { spec: { selector, serviceName: "s", template } }),
  sample("apps/v1", "daemonsets", "DaemonSet", { spec: { selector, template } }),
  sample("apps/v1", "controllerrevisions", "ControllerRevision", { revision: 1, data: { a: 1 } }),
  sample("batch/v1", "jobs", "Job", { spec: { template: { spec: { ...pod, restartPolicy: "Never" } } } }),
  sample("batch/v1", "cronjobs", "CronJob", {
    spec: {
      schedule: "*/5 * * * *",
      jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: "OnFailure" } } } },
    },
  }),
  sample("autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", {
    spec: { scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" }, maxReplicas: 3 },
  }),
  sample("policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", { spec: { minAvailable: 1, selector } }),
  sample("networking.k8s.io/v1", "ingresses", "Ingress", {
    spec: {
      rules: [
        {
          host: "a.example.com",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  sample("networking.k8s.io/v1", "ingressclasses", "IngressClass", { spec: { controller: "example.com/c" } }, true),
  sample("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", { spec: { podSelector: {}, ingress: [{}] } }),
  sample("discovery.k8s.io/v1", "endpointslices", "EndpointSlice", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.2.3"] }],
    ports: [{ port: 80 }],
  }),
  sample("coordination.k8s.io/v1", "leases", "Lease", { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } }),
  sample("rbac.authorization.k8s.io/v1", "roles", "Role", {
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  }),
  sample("rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [{ kind: "User", name: "u" }],
  }),
  sample(
    "rbac.authorization.k8s.io/v1",
    "clusterroles",
    "ClusterRole",
    { rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }] },
    true,
  ),
  sample(
    "rbac.authorization.k8s.io/v1",
    "clusterrolebindings",
    "ClusterRoleBinding",
    { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" } },
    true,
  ),
  sample("storage.k8s.io/v1", "storageclasses", "StorageClass", { provisioner: "example.com/p" }, true),
  sample("storage.k8s.io/v1", "csidrivers", "CSIDriver", { spec: {} }, true),
  sample(
    "storage.k8s.io/v1",
    "volumeattachments",
    "VolumeAttachment",
    { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } },
    true,
  ),
  sample("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", { value: 100 }, true),
  sample("node.k8s.io/v1", "runtimeclasses", "RuntimeClass", { handler: "h" }, true),
  sample(
    "admissionregistration.k8s.io/v1",
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
    {
      webhooks: [
        {
          name: "a.example.com",
          clientConfig: { url: "https://example.com/x" },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          rules: [{ apiGroups: ["none.example.com"], apiVersions: ["v1"], resources: ["x"], operations: ["CREATE"] }],
        },
      ],
    },
    true,
  ),
  sample(
    "admissionregistration.k8s.io/v1",
    "mutatingwebhookconfigurations",
    "MutatingWebhookConfiguration",
    { webhooks: [] },
    true,
  ),
  sample(
    "flowcontrol.apiserver.k8s.io/v1",
    "flowschemas",
    "FlowSchema",
    { spec: { priorityLevelConfiguration: { name: "global-default" }, matchingPrecedence: 9999 } },
    true,
  ),
  sample(
    "certificates.k8s.io/v1",
    "certificatesigningrequests",
    "CertificateSigningRequest",
    { spec: { request: "LS0t", signerName: "example.com/s", usages: ["client auth"] } },
    true,
  ),
  sample("events.k8s.io/v1", "events", "Event", {
    regarding: { kind: "Pod", name: "p", namespace: "diff-kinds" },
    reason: "R",
    note: "n",
    type: "Normal",
    action: "a",
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "i",
  }),
];
