/** Pods as in a real cluster: 4.35 KB of JSON, of which managedFields are a third. */

const letters = "bcdfghjklmnpqrstvwxz2456789";

function scrambled(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}

function suffix(length: number, seed: number): string {
  const next = scrambled(seed);
  return Array.from({ length }, () => letters[(next() >>> 8) % letters.length]).join("");
}

function hex(length: number, seed: number): string {
  const next = scrambled(seed ^ 0x5bd1e995);
  let text = "";
  while (text.length < length) text += next().toString(16).padStart(8, "0");
  return text.slice(0, length);
}

function uidOf(seed: number): string {
  const text = hex(32, seed);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-9${text.slice(17, 20)}-${text.slice(20)}`;
}

const created = "2026-08-01T10:20:30Z";
const names = (...fields: readonly string[]): object => Object.fromEntries(fields.map((field) => [`f:${field}`, {}]));

/** The `restarts`-th state of the `i`-th pod. */
export function pod(i: number, resourceVersion: number, restarts = 0): object {
  const app = `app-${i % 200}`;
  const hash = suffix(9, i % 200);
  const owner = `${app}-${hash}`;
  const ownerUid = uidOf((i % 200) + 1_000_000);
  const token = `kube-api-access-${suffix(5, i + 7)}`;
  const podIp = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  const image = `registry.example.com/shop/${app}:v1.2.3`;
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name: `${owner}-${suffix(5, i)}`,
      generateName: `${owner}-`,
      namespace: `team-${i % 20}`,
      uid: uidOf(i),
      resourceVersion: String(resourceVersion),
      generation: 1,
      creationTimestamp: created,
      labels: { app, "pod-template-hash": hash, tier: "backend" },
      annotations: { "prometheus.io/scrape": "true" },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: owner,
          uid: ownerUid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFields(ownerUid, podIp),
    },
    spec: spec(i, token, image),
    status: status({ i, image, podIp, restarts }),
  };
}

function managedFields(ownerUid: string, podIp: string): readonly object[] {
  const container = {
    ".": {},
    ...names("image", "imagePullPolicy", "name"),
    "f:ports": {
      ".": {},
      'k:{"containerPort":8080,"protocol":"TCP"}': { ".": {}, ...names("containerPort", "protocol") },
    },
    "f:resources": {
      ".": {},
      "f:limits": { ".": {}, ...names("memory") },
      "f:requests": { ".": {}, ...names("cpu", "memory") },
    },
    ...names("terminationMessagePath", "terminationMessagePolicy"),
  };
  const condition = { ".": {}, ...names("lastProbeTime", "lastTransitionTime", "status", "type") };
  return [
    {
      manager: "kube-controller-manager",
      operation: "Update",
      apiVersion: "v1",
      time: created,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": {
          "f:annotations": { ".": {}, ...names("prometheus.io/scrape") },
          "f:generateName": {},
          "f:labels": { ".": {}, ...names("app", "pod-template-hash", "tier") },
          "f:ownerReferences": { ".": {}, [`k:{"uid":"${ownerUid}"}`]: {} },
        },
        "f:spec": {
          "f:containers": { 'k:{"name":"main"}': container },
          ...names("dnsPolicy", "enableServiceLinks", "restartPolicy", "schedulerName", "securityContext"),
          ...names("terminationGracePeriodSeconds"),
        },
      },
    },
    {
      manager: "kubelet",
      operation: "Update",
      apiVersion: "v1",
      time: created,
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:status": {
          "f:conditions": {
            'k:{"type":"ContainersReady"}': condition,
            'k:{"type":"Initialized"}': condition,
            'k:{"type":"Ready"}': condition,
          },
          ...names("containerStatuses", "hostIP", "phase", "podIP"),
          "f:podIPs": { ".": {}, [`k:{"ip":"${podIp}"}`]: { ".": {}, ...names("ip") } },
          ...names("startTime"),
        },
      },
      subresource: "status",
    },
  ];
}

function spec(i: number, token: string, image: string): object {
  const tolerated = (key: string): object => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  return {
    volumes: [
      {
        name: token,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [
      {
        name: "main",
        image,
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
        resources: { limits: { memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
        volumeMounts: [{ name: token, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }],
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "default",
    serviceAccount: "default",
    nodeName: `ip-10-0-${(i >> 6) % 256}-${i % 64}.eu-west-1.compute.internal`,
    securityContext: {},
    schedulerName: "default-scheduler",
    tolerations: [tolerated("node.kubernetes.io/not-ready"), tolerated("node.kubernetes.io/unreachable")],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
  };
}

interface PodState {
  readonly i: number;
  readonly image: string;
  readonly podIp: string;
  readonly restarts: number;
}

function status({ i, image, podIp, restarts }: PodState): object {
  const conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"];
  return {
    phase: "Running",
    conditions: conditions.map((type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: created })),
    hostIP: `10.0.${(i >> 6) % 256}.${i % 64}`,
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime: created,
    containerStatuses: [
      {
        name: "main",
        state: { running: { startedAt: created } },
        lastState: {},
        ready: true,
        restartCount: restarts,
        image,
        imageID: `registry.example.com/shop/app@sha256:${hex(64, i % 200)}`,
        containerID: `containerd://${hex(64, i)}`,
        started: true,
      },
    ],
    qosClass: "Burstable",
  };
}
