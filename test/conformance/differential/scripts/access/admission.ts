/** Scripts about admission: limit ranges, quotas, pod security, runtime classes, and the smaller plug-ins. */
import { inNamespace, object, type Script } from "../../script.js";

const container = (rest: object = {}): object => ({ name: "c", image: "i", ...rest });
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { containers: [container()], ...spec },
});
const asking = (resources: object): object => ({ containers: [container({ resources })] });

export function limits(): Script {
  const { script: s, core } = inNamespace("diff-limits");
  const pods = `${core}/pods`;
  const range = (name: string, ...limits: readonly object[]): object =>
    object("v1", "LimitRange", name, { spec: { limits } });
  s.post(
    `${core}/limitranges`,
    range("defaults", {
      type: "Container",
      default: { cpu: "500m", memory: "128Mi" },
      defaultRequest: { cpu: "100m" },
    }),
  );
  s.post(pods, pod("plain"))
    .post(pods, pod("own", asking({ requests: { cpu: "50m" }, limits: { memory: "1Gi" } })))
    .post(pods, pod("init", { initContainers: [{ name: "first", image: "i" }] }));
  s.delete(`${core}/limitranges/defaults`);
  s.post(
    `${core}/limitranges`,
    range("bounds", { type: "Container", min: { cpu: "100m" }, max: { cpu: "1" }, maxLimitRequestRatio: { cpu: "2" } }),
  );
  s.post(pods, pod("silent"))
    .post(pods, pod("low", asking({ requests: { cpu: "10m" }, limits: { cpu: "20m" } })))
    .post(pods, pod("high", asking({ requests: { cpu: "2" }, limits: { cpu: "3" } })))
    .post(pods, pod("wide", asking({ requests: { cpu: "100m" }, limits: { cpu: "900m" } })))
    .post(pods, pod("right", asking({ requests: { cpu: "500m" }, limits: { cpu: "1" } })))
    .post(pods, pod("zero", asking({ requests: { cpu: "0" }, limits: { cpu: "1" } })))
    .merge(`${pods}/right`, { metadata: { labels: { a: "b" } } });
  s.delete(`${core}/limitranges/bounds`);
  s.post(`${core}/limitranges`, range("pods", { type: "Pod", max: { memory: "1Gi" } }));
  s.post(pods, pod("p-none"))
    .post(pods, pod("p-fits", asking({ limits: { memory: "1Gi" } })))
    .post(pods, pod("p-large", asking({ limits: { memory: "1025Mi" } })));
  s.delete(`${core}/limitranges/pods`);
  const claims = `${core}/persistentvolumeclaims`;
  const claim = (name: string, storage: string): object =>
    object("v1", "PersistentVolumeClaim", name, {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
    });
  s.post(
    `${core}/limitranges`,
    range("claims", { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }),
  );
  s.post(claims, claim("small", "1Mi"))
    .post(claims, claim("large", "3Gi"))
    .post(claims, claim("fits", "2Gi"))
    .merge(`${claims}/fits`, { spec: { resources: { requests: { storage: "3Gi" } } } })
    .delete(`${core}/limitranges`)
    .merge(`${claims}/fits`, { spec: { resources: { requests: { storage: "3Gi" } } } });
  s.merge(`${claims}/fits/status`, { status: { phase: "Bound" } }).merge(`${claims}/fits`, {
    spec: { resources: { requests: { storage: "3Gi" } } },
  });
  s.post(`${core}/limitranges`, range("bad", { type: "Container", min: { cpu: "2" }, max: { cpu: "1" } })).post(
    `${core}/limitranges`,
    range("bad", { type: "Nonsense" }, { type: "Pod", default: { cpu: "1" } }),
  );
  return s;
}

export function quotas(): Script {
  const { script: s, core, group } = inNamespace("diff-quotas");
  const path = `${core}/resourcequotas`;
  const known = (name: string, hard: object, used: object, spec: object = {}): void => {
    s.post(path, object("v1", "ResourceQuota", name, { spec: { hard, ...spec } }));
    s.merge(`${path}/${name}/status`, { status: { hard, used } });
  };
  s.post(path, object("v1", "ResourceQuota", "unknown", { spec: { hard: { configmaps: "1" } } }));
  s.post(`${core}/configmaps`, object("v1", "ConfigMap", "free"));
  s.merge(`${path}/unknown/status`, { status: { hard: { configmaps: "1" } } });
  s.post(`${core}/configmaps`, object("v1", "ConfigMap", "waits")).delete(`${path}/unknown`);
  known("counts", { configmaps: "2", "count/secrets": "1" }, { configmaps: "1", "count/secrets": "0" });
  s.post(`${core}/configmaps?dryRun=All`, object("v1", "ConfigMap", "dry")).get(`${path}/counts`);
  s.post(`${core}/configmaps`, object("v1", "ConfigMap", "second")).get(`${path}/counts`);
  s.post(`${core}/configmaps`, object("v1", "ConfigMap", "third"))
    .merge(`${core}/configmaps/second`, { data: { a: "b" } })
    .post(`${core}/secrets`, object("v1", "Secret", "a"))
    .post(`${core}/secrets`, object("v1", "Secret", "b"))
    .delete(`${path}/counts`);
  const compute = { pods: "2", "requests.cpu": "1", "limits.memory": "1Gi" };
  known("compute", compute, { pods: "0", "requests.cpu": "0", "limits.memory": "0" });
  const pods = `${core}/pods`;
  s.post(pods, pod("none"))
    .post(pods, pod("half", asking({ requests: { cpu: "500m" } })))
    .post(pods, pod("much", asking({ requests: { cpu: "2" }, limits: { memory: "2Gi" } })))
    .post(pods, pod("one", asking({ requests: { cpu: "500m" }, limits: { memory: "512Mi" } })))
    .get(`${path}/compute`)
    .get(`${path}/compute`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })
    .post(pods, pod("two", asking({ requests: { cpu: "600m" }, limits: { memory: "512Mi" } })))
    .post(pods, pod("two", asking({ requests: { cpu: "500m" }, limits: { memory: "512Mi" } })))
    .post(pods, pod("three", asking({ requests: { cpu: "1m" }, limits: { memory: "1Mi" } })))
    .delete(path);
  known("scoped", { pods: "1" }, { pods: "0" }, { scopes: ["Terminating"] });
  s.post(pods, pod("endless"))
    .post(pods, pod("ends", { activeDeadlineSeconds: 10 }))
    .post(pods, pod("ends2", { activeDeadlineSeconds: 10 }))
    .merge(`${pods}/endless`, { spec: { activeDeadlineSeconds: 5 } })
    .delete(path);
  known("best", { pods: "0" }, { pods: "0" }, { scopes: ["BestEffort"] });
  s.post(pods, pod("best"))
    .post(pods, pod("better", asking({ requests: { cpu: "1" } })))
    .delete(path);
  const classed = {
    matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] }],
  };
  known("classed", { pods: "0" }, { pods: "0" }, { scopeSelector: classed });
  s.post(pods, pod("plain"))
    .post(pods, pod("critical", { priorityClassName: "system-node-critical" }))
    .delete(path);
  known("services", { services: "2", "services.nodeports": "1" }, { services: "0", "services.nodeports": "0" });
  const service = (name: string, type: string): object =>
    object("v1", "Service", name, { spec: { type, ports: [{ port: 80 }] } });
  s.post(`${core}/services`, service("a", "NodePort"))
    .post(`${core}/services`, service("b", "NodePort"))
    .post(`${core}/services`, service("b", "ClusterIP"))
    .merge(`${core}/services/b`, { spec: { type: "NodePort" } })
    .get(`${path}/services`)
    .delete(path);
  known(
    "claims",
    { persistentvolumeclaims: "1", "requests.storage": "1Gi" },
    { persistentvolumeclaims: "0", "requests.storage": "0" },
  );
  const claim = (name: string, storage: string): object =>
    object("v1", "PersistentVolumeClaim", name, {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
    });
  s.post(`${core}/persistentvolumeclaims`, claim("a", "2Gi"))
    .post(`${core}/persistentvolumeclaims`, claim("a", "1Gi"))
    .post(`${core}/persistentvolumeclaims`, claim("b", "1"))
    .get(`${path}/claims`)
    .delete(path);
  known("apps", { "count/deployments.apps": "0" }, { "count/deployments.apps": "0" });
  const selector = { matchLabels: { app: "x" } };
  s.post(
    `${group("apps/v1")}/deployments`,
    object("apps/v1", "Deployment", "d", {
      spec: { selector, template: { metadata: { labels: { app: "x" } }, spec: { containers: [container()] } } },
    }),
  );
  return s;
}

const hardened = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Pods that break one rule or several. */
const insecure: readonly (readonly [string, object, object?])[] = [
  ["plain", {}],
  ["hard", { containers: [container({ securityContext: hardened })] }],
  ["host", { hostNetwork: true, hostPID: true, hostIPC: true }],
  [
    "ports",
    {
      containers: [
        container({
          ports: [
            { containerPort: 80, hostPort: 80 },
            { containerPort: 9, hostPort: 9 },
          ],
        }),
      ],
    },
  ],
  [
    "paths",
    {
      volumes: [
        { name: "v", hostPath: { path: "/x" } },
        { name: "n", nfs: { server: "s", path: "/p" } },
      ],
    },
  ],
  [
    "strong",
    {
      containers: [
        container({ securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN", "CHOWN"] } } }),
        { name: "d", image: "i", securityContext: { capabilities: { add: ["NET_RAW"], drop: ["ALL"] } } },
      ],
    },
  ],
  ["armor", { securityContext: { appArmorProfile: { type: "Unconfined" } } }],
  ["linux", { securityContext: { seLinuxOptions: { type: "spc_t", user: "u", role: "r" } } }],
  [
    "comp",
    {
      securityContext: { seccompProfile: { type: "Unconfined" } },
      containers: [container({ securityContext: { seccompProfile: { type: "Unconfined" } } })],
    },
  ],
  [
    "ctl",
    {
      securityContext: {
        sysctls: [
          { name: "kernel.msgmax", value: "1" },
          { name: "net.ipv4.tcp_rmem", value: "1" },
        ],
      },
    },
  ],
  ["root", { securityContext: { runAsUser: 0, runAsNonRoot: false } }],
  ["probe", { containers: [container({ livenessProbe: { httpGet: { host: "h", port: 80 } } })] }],
  ["proc", { hostUsers: false, containers: [container({ securityContext: { procMount: "Unmasked" } })] }],
  ["noted", {}, { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" } }],
  ["windows", { os: { name: "windows" } }],
];

export function podSecurity(): Script {
  const { script: s } = inNamespace("diff-security");
  const labels = (mode: string, level: string, version?: string): Record<string, string> => ({
    [`pod-security.kubernetes.io/${mode}`]: level,
    ...(version === undefined ? {} : { [`pod-security.kubernetes.io/${mode}-version`]: version }),
  });
  const namespace = (name: string, given: object): object => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: given },
  });
  const namespaces = "/api/v1/namespaces";
  s.post(namespaces, namespace("diff-sec-bad", labels("enforce", "nonsense", "v9")))
    .post(namespaces, namespace("diff-sec-bad", labels("warn", "strict")))
    .post(namespaces, namespace("diff-sec-b", labels("enforce", "baseline")))
    .post(namespaces, namespace("diff-sec-r", labels("enforce", "restricted", "latest")))
    .post(namespaces, namespace("diff-sec-old", labels("enforce", "restricted", "v1.18")))
    .post(
      namespaces,
      namespace("diff-sec-w", { ...labels("warn", "restricted", "v1.36"), ...labels("audit", "baseline") }),
    )
    .post(namespaces, namespace("diff-sec-free", {}));
  for (const home of ["diff-sec-b", "diff-sec-r", "diff-sec-old", "diff-sec-w"]) {
    for (const [name, spec, metadata] of insecure) s.post(`${namespaces}/${home}/pods`, pod(name, spec, metadata));
  }
  s.merge(`${namespaces}/diff-sec-b/pods/plain`, { spec: { containers: [{ name: "c", image: "j" }] } });
  s.strategic(`${namespaces}/diff-sec-r/pods/hard`, { spec: { containers: [{ name: "c", image: "j" }] } });
  s.merge(`${namespaces}/diff-sec-b/pods/plain/ephemeralcontainers`, {
    spec: { ephemeralContainers: [{ name: "e", image: "i", securityContext: { privileged: true } }] },
  });
  const template = { metadata: { labels: { app: "x" } }, spec: { hostNetwork: true, containers: [container()] } };
  const selector = { matchLabels: { app: "x" } };
  for (const home of ["diff-sec-b", "diff-sec-w", "diff-sec-free"]) {
    s.post(
      `/apis/apps/v1/namespaces/${home}/deployments`,
      object("apps/v1", "Deployment", "d", { spec: { selector, template } }),
    );
    s.post(
      `/apis/batch/v1/namespaces/${home}/cronjobs`,
      object("batch/v1", "CronJob", "c", {
        spec: {
          schedule: "* * * * *",
          jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
        },
      }),
    );
  }
  for (const [name, spec] of insecure.slice(0, 5)) s.post(`${namespaces}/diff-sec-free/pods`, pod(name, spec));
  s.post(`${namespaces}/diff-sec-free/pods`, pod("host2", { hostNetwork: true, hostPID: true, hostIPC: true }));
  s.merge(`${namespaces}/diff-sec-free`, { metadata: { labels: labels("enforce", "baseline") } })
    .merge(`${namespaces}/diff-sec-free`, { metadata: { labels: labels("enforce", "restricted") } })
    .merge(`${namespaces}/diff-sec-free`, { metadata: { labels: labels("enforce", "baseline") } })
    .merge(`${namespaces}/diff-sec-free`, { metadata: { labels: labels("audit", "nonsense") } });
  return s;
}

export function smallerPlugins(): Script {
  const { script: s, core } = inNamespace("diff-plugins");
  const pods = `${core}/pods`;
  const classes = "/apis/node.k8s.io/v1/runtimeclasses";
  s.post(
    classes,
    object("node.k8s.io/v1", "RuntimeClass", "diff-heavy", {
      handler: "h",
      overhead: { podFixed: { cpu: "250m", memory: "120Mi" } },
      scheduling: { nodeSelector: { runtime: "heavy" }, tolerations: [{ key: "heavy", operator: "Exists" }] },
    }),
  );
  s.post(pods, pod("heavy", { runtimeClassName: "diff-heavy" }))
    .post(pods, pod("clash", { runtimeClassName: "diff-heavy", nodeSelector: { runtime: "light" } }))
    .post(pods, pod("other", { runtimeClassName: "diff-heavy", overhead: { cpu: "1" } }))
    .post(
      pods,
      pod("same", {
        runtimeClassName: "diff-heavy",
        overhead: { cpu: "250m", memory: "120Mi" },
        nodeSelector: { a: "b" },
      }),
    )
    .post(pods, pod("missing", { runtimeClassName: "nope" }))
    .post(pods, pod("overhead", { overhead: { cpu: "1" } }));
  const node = (name: string, rest: object = {}): object => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "topology.kubernetes.io/zone": "z1", "kubernetes.io/os": "linux", other: "x" } },
    status: { allocatable: { cpu: "1", memory: "1Gi" } },
    ...rest,
  });
  s.post("/api/v1/nodes", node("diff-node"))
    .post(pods, pod("placed", { nodeName: "diff-node" }))
    .post(pods, pod("bound"))
    .post(`${pods}/bound/binding`, object("v1", "Binding", "bound", { target: { kind: "Node", name: "diff-node" } }))
    .get(`${pods}/bound`);
  const resources = (cpu: string): object => ({
    spec: { containers: [{ name: "c", resources: { requests: { cpu } } }] },
  });
  s.post(pods, pod("grows", { nodeName: "diff-node", ...asking({ requests: { cpu: "100m" }, limits: { cpu: "2" } }) }))
    .strategic(`${pods}/grows`, resources("200m"))
    .strategic(`${pods}/grows/resize`, resources("200m"))
    .strategic(`${pods}/grows/resize`, resources("1500m"))
    .strategic(`${pods}/grows/resize`, resources("3"))
    .strategic(`${pods}/grows/resize`, { spec: { containers: [{ name: "c", image: "j" }] } })
    .strategic(`${pods}/grows/resize`, {
      spec: { containers: [{ name: "c", resources: { requests: { memory: "1Mi" } } }] },
    })
    .strategic(`${pods}/grows/resize`, {
      spec: { containers: [{ name: "c", resources: { limits: { "example.com/x": "1" } } }] },
    })
    .strategic(`${pods}/grows/resize`, { metadata: { labels: { a: "b" } } })
    .get(`${pods}/grows/resize`)
    .get(`${pods}/grows`)
    .strategic(`${pods}/missing/resize`, {});
  s.post(
    pods,
    pod("guaranteed", asking({ requests: { cpu: "100m", memory: "1Mi" }, limits: { cpu: "100m", memory: "1Mi" } })),
  )
    .strategic(`${pods}/guaranteed/resize`, resources("50m"))
    .strategic(`${pods}/guaranteed/resize`, {
      spec: { containers: [{ name: "c", resources: { requests: { cpu: "50m" }, limits: { cpu: "50m" } } }] },
    })
    .put(`${pods}/guaranteed/resize`, pod("guaranteed"));
  return s;
}
