/** Pods, valid and not. */
import type { Cases, Change } from "../differential.js";

const container = "spec.containers[0]";
const long = (length: number): string => "a".repeat(length);

const defaultsOfContainers: Readonly<Record<string, Change>> = {
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

const wrongContainers: Readonly<Record<string, Change>> = {
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
