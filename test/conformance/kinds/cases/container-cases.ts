/** Containers of pods, valid and not. */
import type { Change } from "../differential.js";

export const container = "spec.containers[0]";
const long = (length: number): string => "a".repeat(length);

export const defaultsOfContainers: Readonly<Record<string, Change>> = {
  "no tag": { [`${container}.image`]: "busybox" },
  "a digest": { [`${container}.image`]: `busybox@sha256:${"0".repeat(64)}` },
  "a tag and a digest": { [`${container}.image`]: `busybox:latest@sha256:${"0".repeat(64)}` },
  "a registry with a port": { [`${container}.image`]: "registry.example.com:5000/team/app" },
  "a registry with a port and a tag": { [`${container}.image`]: "registry.example.com:5000/team/app:v1" },
  "an image in capitals": { [`${container}.image`]: "BusyBox" },
  limits: { [`${container}.resources`]: { limits: { cpu: "0.5", memory: "1024Mi" } } },
  "limits and some requests": {
    [`${container}.resources`]: { limits: { cpu: 1, memory: "1Gi" }, requests: { cpu: "100m" } },
  },
  "tiny amounts": { [`${container}.resources`]: { requests: { cpu: "0.0001", memory: "1.5" } } },
  ports: { [`${container}.ports`]: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP", name: "dns" }] },
  "ports of the host": { "spec.hostNetwork": true, [`${container}.ports`]: [{ containerPort: 80 }] },
  probes: {
    [`${container}.livenessProbe`]: { httpGet: { port: 80 } },
    [`${container}.readinessProbe`]: { tcpSocket: { port: "http" }, periodSeconds: 5 },
    [`${container}.startupProbe`]: { grpc: { port: 9 } },
  },
  hooks: { [`${container}.lifecycle`]: { postStart: { httpGet: { port: 80 } }, preStop: { sleep: { seconds: 3 } } } },
  "variables of fields": {
    [`${container}.env`]: [
      { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "B", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
    ],
  },
  "an account by its old name": { "spec.serviceAccount": "robot" },
  "an account": { "spec.serviceAccountName": "robot" },
  "resources of the pod": {
    "spec.resources": { limits: { cpu: "2", memory: "1Gi" } },
    [`${container}.resources`]: { requests: { cpu: "500m" } },
  },
  "an init container and a sidecar": {
    "spec.initContainers": [
      { name: "init", image: "a" },
      { name: "side", image: "b", restartPolicy: "Always", ports: [{ containerPort: 1 }] },
    ],
  },
  "guaranteed service": { [`${container}.resources`]: { limits: { cpu: "1", memory: "1Gi" } } },
  gates: { "spec.schedulingGates": [{ name: "example.com/gate" }] },
  "label keys": {
    "metadata.labels": { app: "web" },
    "spec.affinity": {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "zone", labelSelector: { matchLabels: { a: "b" } }, matchLabelKeys: ["app"] },
        ],
      },
    },
    "spec.topologySpreadConstraints": [
      {
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { a: "b" } },
        matchLabelKeys: ["app"],
      },
    ],
  },
};

export const wrongContainers: Readonly<Record<string, Change>> = {
  "no list of containers": { "spec.containers": undefined },
  "nothing at all": { spec: undefined },
  "empty containers": {
    "spec.containers": [{}],
    "spec.volumes": [{}],
    "spec.tolerations": [{}],
    "spec.hostAliases": [{}],
  },
  "no containers": { "spec.containers": [] },
  "no name": { [`${container}.name`]: "" },
  "a bad name": { [`${container}.name`]: "A_b" },
  "a name with dots": { [`${container}.name`]: "a.b" },
  "a long name": { [`${container}.name`]: long(64) },
  "no image": { [`${container}.image`]: "" },
  "a padded image": { [`${container}.image`]: " busybox " },
  "two of a name": {
    "spec.containers": [
      { name: "a", image: "a" },
      { name: "a", image: "b" },
    ],
  },
  "a bad pull policy": { [`${container}.imagePullPolicy`]: "Sometimes" },
  "a bad message policy": { [`${container}.terminationMessagePolicy`]: "Loud" },
  "bad ports": {
    [`${container}.ports`]: [
      { containerPort: 0 },
      { containerPort: 70000 },
      { containerPort: 1, hostPort: -1 },
      { containerPort: 1, protocol: "ICMP" },
      { containerPort: 1, name: "Bad_Name--and-too-long" },
      { containerPort: 2, name: "ok" },
      { containerPort: 3, name: "ok" },
    ],
  },
  "host ports twice": {
    [`${container}.ports`]: [
      { containerPort: 1, hostPort: 9 },
      { containerPort: 2, hostPort: 9 },
    ],
  },
  "ports other than the host's": {
    "spec.hostNetwork": true,
    [`${container}.ports`]: [{ containerPort: 80, hostPort: 81 }],
  },
  "bad variables": {
    [`${container}.env`]: [
      { name: "" },
      { name: "a=b" },
      { name: "X", valueFrom: {} },
      { name: "Y", value: "v", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "Z", valueFrom: { fieldRef: { fieldPath: "spec.bogus" } } },
      { name: "Z2", valueFrom: { fieldRef: { fieldPath: "status.phase" } } },
      { name: "Z3", valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } },
      { name: "Z4", valueFrom: { fieldRef: { fieldPath: "metadata.name['x']" } } },
      { name: "Z5", valueFrom: { fieldRef: { fieldPath: "", apiVersion: "v1" } } },
      { name: "Z6", valueFrom: { fieldRef: { fieldPath: "metadata.name", apiVersion: "v2" } } },
      { name: "R", valueFrom: { resourceFieldRef: { resource: "limits.gpu" } } },
      { name: "R2", valueFrom: { resourceFieldRef: { resource: "" } } },
      { name: "R3", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "3" } } },
      { name: "R4", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "7" } } },
      { name: "C", valueFrom: { configMapKeyRef: { name: "", key: "" } } },
      { name: "S", valueFrom: { secretKeyRef: { name: "A", key: "../x" } } },
      {
        name: "M",
        valueFrom: { configMapKeyRef: { name: "a", key: "b" }, secretKeyRef: { name: "a", key: "b" } },
      },
      { name: "F", valueFrom: { fileKeyRef: { key: "", volumeName: "Nope", path: "../x" } } },
    ],
  },
  "bad sources of variables": {
    [`${container}.envFrom`]: [
      {},
      { prefix: "a=", configMapRef: { name: "" } },
      { configMapRef: { name: "a" }, secretRef: { name: "B" } },
      { secretRef: { name: "ends-" } },
    ],
  },
  "bad resources": {
    [`${container}.resources`]: {
      limits: {
        cpu: "-1",
        bogus: "1",
        "example.com/gpu": "0.5",
        "hugepages-2Mi": "3Mi",
        "requests.example.com/x": "1",
      },
      requests: { cpu: "1", "example.com/tpu": "1", "kubernetes.io/x": "1" },
    },
  },
  "requests above limits": {
    [`${container}.resources`]: {
      limits: { cpu: "1", "example.com/a": "2" },
      requests: { cpu: "2", "example.com/a": "1" },
    },
  },
  "claims of nobody": { [`${container}.resources`]: { claims: [{ name: "a" }, { name: "" }, { name: "a" }] } },
  "bad mounts": {
    "spec.volumes": [{ name: "v", emptyDir: {} }],
    [`${container}.volumeMounts`]: [
      { name: "", mountPath: "/a" },
      { name: "missing", mountPath: "/b" },
      { name: "v", mountPath: "" },
      { name: "v", mountPath: "/c" },
      { name: "v", mountPath: "/c" },
      { name: "v", mountPath: "/d", subPath: "../x" },
      { name: "v", mountPath: "/e", subPath: "/abs", subPathExpr: "b" },
      { name: "v", mountPath: "/f", mountPropagation: "Sideways" },
      { name: "v", mountPath: "/g", mountPropagation: "Bidirectional" },
      { name: "v", mountPath: "/h", recursiveReadOnly: "Enabled" },
      { name: "v", mountPath: "/i", recursiveReadOnly: "Maybe" },
    ],
  },
  "bad devices": {
    "spec.volumes": [
      { name: "v", emptyDir: {} },
      { name: "p", persistentVolumeClaim: { claimName: "c" } },
    ],
    [`${container}.volumeDevices`]: [
      { name: "v", devicePath: "/dev/a" },
      { name: "p", devicePath: "" },
      { name: "p", devicePath: "/dev/../b" },
      { name: "none", devicePath: "/dev/a" },
    ],
  },
  "bad probes": {
    [`${container}.livenessProbe`]: { successThreshold: 2, httpGet: { port: 0, path: "", scheme: "FTP" } },
    [`${container}.readinessProbe`]: { terminationGracePeriodSeconds: 5, exec: { command: [] } },
    [`${container}.startupProbe`]: { initialDelaySeconds: -1, timeoutSeconds: -2, tcpSocket: { port: "" } },
  },
  "no handler and two": {
    [`${container}.livenessProbe`]: {},
    [`${container}.readinessProbe`]: { exec: { command: ["a"] }, tcpSocket: { port: 1 } },
    [`${container}.lifecycle`]: { preStop: { sleep: { seconds: 500 } }, postStart: {}, stopSignal: "SIGTERM" },
  },
  "bad headers": {
    [`${container}.livenessProbe`]: { httpGet: { port: 1, httpHeaders: [{ name: "a b", value: "c" }] } },
  },
  "bad security": {
    [`${container}.securityContext`]: {
      runAsUser: -1,
      runAsGroup: 2 ** 40,
      procMount: "Odd",
      seccompProfile: { type: "Localhost" },
      appArmorProfile: { type: "Odd" },
    },
  },
  "contradictory security": {
    [`${container}.securityContext`]: {
      allowPrivilegeEscalation: false,
      privileged: true,
      capabilities: { add: ["CAP_SYS_ADMIN"] },
    },
  },
  "init containers with probes": {
    "spec.initContainers": [
      {
        name: "i",
        image: "a",
        livenessProbe: { exec: { command: ["a"] } },
        lifecycle: { preStop: { exec: { command: ["a"] } } },
      },
      { name: "main", image: "a" },
      { name: "j", image: "a", restartPolicy: "Odd" },
    ],
  },
  "resize policies": {
    "spec.restartPolicy": "Never",
    [`${container}.resizePolicy`]: [
      { resourceName: "cpu", restartPolicy: "RestartContainer" },
      { resourceName: "cpu", restartPolicy: "NotRequired" },
      { resourceName: "disk", restartPolicy: "Odd" },
    ],
  },
  "restart rules": {
    [`${container}.restartPolicy`]: "Odd",
    [`${container}.restartPolicyRules`]: [
      { action: "Odd" },
      { action: "Restart", exitCodes: { operator: "Odd", values: [1] } },
    ],
  },
  "restart rules without a policy": {
    [`${container}.restartPolicyRules`]: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }],
  },
  "ephemeral containers": { "spec.ephemeralContainers": [{ name: "e", image: "a" }] },
};
