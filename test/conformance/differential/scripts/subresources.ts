/**
 * Scripts about subresources: status, scale, binding, eviction, tokens, approval, finalize, reviews; and lives of pods
 * and namespaces.
 */
import { inNamespace, object, Script, table } from "../script.js";

const pod = (name: string, rest: object = {}): object =>
  object("v1", "Pod", name, { spec: { containers: [{ name: "c", image: "i" }], ...rest } });

export function subresources(): Script {
  const { script: s, core, group } = inNamespace("diff-sub");
  const deployments = `${group("apps/v1")}/deployments`;
  const selector = { matchLabels: { app: "x" } };
  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  s.post(deployments, object("apps/v1", "Deployment", "d", { spec: { selector, template }, status: { replicas: 7 } }));
  s.get(`${deployments}/d/status`)
    .get(`${deployments}/d/scale`)
    .merge(`${deployments}/d/status`, { status: { replicas: 3 }, spec: { replicas: 9 } });
  s.merge(`${deployments}/d`, { status: { replicas: 9 }, spec: { replicas: 2 } });
  s.put(`${deployments}/d/scale`, object("autoscaling/v1", "Scale", "d", { spec: { replicas: 5 } })).get(
    `${deployments}/d`,
  );
  s.merge(`${deployments}/d/scale`, { spec: { replicas: 6 } }).merge(`${deployments}/d/scale`, {
    spec: { replicas: -1 },
  });
  s.put(`${deployments}/d/scale`, object("autoscaling/v1", "Scale", "e", { spec: { replicas: 5 } })).put(
    `${deployments}/d/scale`,
    object("apps/v1", "Deployment", "d"),
  );
  s.get(`${deployments}/missing/scale`).put(
    `${deployments}/missing/status`,
    object("apps/v1", "Deployment", "missing"),
  );
  s.merge(`${deployments}/d`, { spec: { selector: { matchLabels: { app: "y" } } } }).merge(`${deployments}/d`, {
    metadata: { annotations: { a: "b" } },
  });
  s.strategic(`${deployments}/d`, {
    spec: {
      template: {
        spec: {
          containers: [
            { name: "c", image: "j" },
            { name: "e", image: "k" },
          ],
        },
      },
    },
  });
  s.strategic(`${deployments}/d`, { spec: { template: { spec: { containers: [{ $patch: "delete", name: "e" }] } } } });
  s.json(`${deployments}/d`, [{ op: "replace", path: "/spec/replicas", value: 1 }]).json(`${deployments}/d`, [
    { op: "test", path: "/spec/replicas", value: 9 },
  ]);
  s.json(`${deployments}/d`, [{ op: "remove", path: "/nonsense" }])
    .json(`${deployments}/d`, { not: "a list" })
    .merge(`${deployments}/d`, "[]")
    .merge(`${deployments}/d`, "x");
  s.send("PATCH", `${deployments}/d`, {}, { type: "application/json" })
    .strategic(`${deployments}/missing`, {})
    .merge(`${deployments}/d`, { metadata: { resourceVersion: "1" } });
  s.apply(`${deployments}/d`, {}).apply(
    `${deployments}/d?fieldManager=m`,
    object("apps/v1", "Deployment", "d", { spec: { replicas: 4 } }),
  );
  s.apply(
    `${deployments}/d?fieldManager=m&force=true`,
    object("apps/v1", "Deployment", "d", { spec: { replicas: 4 } }),
  );
  s.apply(
    `${deployments}/new?fieldManager=m`,
    object("apps/v1", "Deployment", "new", { spec: { selector, template } }),
  );
  pods(s, core, group("policy/v1"));
  connections(s, core);
  accounts(s, core);
  namespaces(s);
  reviews(s);
  return s;
}

/** Where a request would go from here, if it can go anywhere. */
function connections(s: Script, core: string): void {
  const ports = [
    { port: 80, name: "a" },
    { port: 81, name: "b" },
  ];
  const spec = (name: string, more: object): object => object("v1", "Pod", name, { spec: more });
  const container = { name: "c", image: "i" };
  s.post(`${core}/services`, object("v1", "Service", "plain", { spec: { ports } }))
    .post(`${core}/services`, object("v1", "Service", "empty", { spec: { ports } }))
    .post(`${core}/endpoints`, object("v1", "Endpoints", "empty", {}))
    .post(`${core}/pods`, spec("one", { containers: [{ ...container, ports: [{ containerPort: 80 }] }] }))
    .post(
      `${core}/pods`,
      spec("two", {
        containers: [container, { ...container, name: "d" }],
        initContainers: [{ ...container, name: "e" }],
      }),
    )
    .post(`${core}/pods`, spec("placed", { nodeName: "connected", containers: [container] }))
    .post(`${core}/pods`, spec("lost", { nodeName: "nowhere", containers: [container] }))
    .post("/api/v1/nodes", object("v1", "Node", "connected", {}));
  const services = [
    "x",
    "plain",
    "plain:a",
    "plain:80",
    "plain:82",
    "https:plain:a",
    "ftp:plain:80",
    "a:b:c:d",
    ":plain",
    "empty:a",
  ];
  const named = ["x", "one", "one:80", "https:one:80", "ftp:one:1", "a:b:c:d", "one:"];
  const nodes = ["x", "connected", "connected:1", "https:connected:", "ftp:connected:1", "a:b:c:d"];
  for (const path of [
    ...services.map((name) => `${core}/services/${name}`),
    ...named.map((name) => `${core}/pods/${name}`),
    ...nodes.map((name) => `/api/v1/nodes/${name}`),
  ]) {
    s.get(`${path}/proxy`).get(`${path}/proxy/a/b?c=d`);
  }
  for (const query of [
    "tailLines=-1",
    "tailLines=",
    "limitBytes=0",
    "sinceSeconds=x",
    "sinceSeconds=0",
    "stream=All",
  ]) {
    s.get(`${core}/pods/one/log?${query}`);
  }
  s.get(`${core}/pods/one/log?sinceSeconds=1&sinceTime=2024-01-01T00:00:00Z`);
  for (const pod of ["x", "one", "two", "placed", "lost"]) {
    for (const way of ["log", "log?container=e", "exec", "exec?command=a&stdout=true", "attach", "portforward"]) {
      s.get(`${core}/pods/${pod}/${way}`);
    }
  }
  s.delete("/api/v1/nodes/connected");
}

/** Bindings that are refused, then one that is not. */
function bindings(s: Script, core: string): void {
  const target = { kind: "Node", name: "n1" };
  const bind = (metadata: object, rest: object): object => ({ apiVersion: "v1", kind: "Binding", metadata, ...rest });
  const refused = [
    bind({}, { target }),
    bind({ name: "other" }, { target }),
    bind({ generateName: "bound" }, { target }),
    bind({ name: "bound", namespace: "other" }, { target }),
    bind({ name: "bound" }, {}),
    bind({ name: "bound" }, { target: { kind: "Pod" } }),
    bind({ name: "bound", uid: "other" }, { target }),
  ];
  s.post(`${core}/pods`, pod("bound"));
  for (const body of refused) s.post(`${core}/pods/bound/binding`, body);
  for (const body of refused.slice(0, -1)) s.post(`${core}/bindings`, body);
  s.post(`${core}/pods/bound/eviction`, object("policy/v1", "Eviction", "bound", { metadata: { namespace: "other" } }));
  s.get(`${core}/pods/bound`).post(`${core}/bindings`, bind({ name: "bound", uid: "other" }, { target }));
  s.get(`${core}/pods/bound`);
}

function pods(s: Script, core: string, policy: string): void {
  const path = `${core}/pods`;
  s.post(path, pod("a"))
    .get(`${path}/a/status`)
    .post(`${path}/a/binding`, object("v1", "Binding", "a", { target: { kind: "Node", name: "n1" } }));
  s.get(`${path}/a`).post(`${path}/a/binding`, object("v1", "Binding", "a", { target: { kind: "Node", name: "n2" } }));
  s.post(`${core}/bindings`, object("v1", "Binding", "missing", { target: { name: "n" } })).get(
    `${path}?fieldSelector=spec.nodeName%3Dn1`,
  );
  bindings(s, core);
  s.get(`${path}?fieldSelector=status.phase%3DRunning`).merge(`${path}/a/status`, {
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  s.get(`${path}?fieldSelector=status.phase%3DRunning,spec.nodeName!%3Dn2`).merge(`${path}/a`, {
    spec: { containers: [{ name: "c", image: "new" }] },
  });
  for (const wrong of [
    { metadata: { labels: "x" } },
    { metadata: "x" },
    { metadata: { labels: { a: 1 } } },
    { metadata: { finalizers: "x" } },
    { spec: { containers: { name: "c" } } },
    { spec: { hostNetwork: "x" } },
    { spec: { priority: "x" } },
    { spec: { nodeName: true } },
  ]) {
    s.strategic(`${path}/a`, wrong);
  }
  s.merge(`${path}/a`, { spec: { nodeName: "other" } })
    .merge(`${path}/a`, { spec: { activeDeadlineSeconds: 60 } })
    .merge(`${path}/a`, { spec: { hostname: "x" } });
  s.post(
    `${policy}/poddisruptionbudgets`,
    object("policy/v1", "PodDisruptionBudget", "b", {
      spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } },
    }),
  );
  s.merge(`${path}/a`, { metadata: { labels: { app: "x" } } }).post(
    `${path}/a/eviction`,
    object("policy/v1", "Eviction", "a"),
  );
  s.merge(`${policy}/poddisruptionbudgets/b/status`, {
    status: { observedGeneration: 1, disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1, expectedPods: 1 },
  });
  s.post(`${path}/a/eviction`, object("policy/v1", "Eviction", "a")).merge(`${policy}/poddisruptionbudgets/b/status`, {
    status: { disruptionsAllowed: 1 },
  });
  s.post(`${path}/a/eviction`, object("policy/v1", "Eviction", "a"))
    .get(`${path}/a`)
    .get(`${policy}/poddisruptionbudgets/b/status`);
  s.delete(`${path}/a`, { gracePeriodSeconds: 5 })
    .delete(`${path}/a`, { gracePeriodSeconds: 50 })
    .delete(`${path}/a`, { gracePeriodSeconds: 0 })
    .get(`${path}/a`);
  s.post(path, pod("b"))
    .delete(`${path}/b`)
    .get(`${path}/b`)
    .post(`${path}/missing/eviction`, object("policy/v1", "Eviction", "missing"));
  s.post(path, pod("c", { priorityClassName: "nope" })).post(
    path,
    pod("c", { priorityClassName: "system-node-critical" }),
  );
  s.post(path, pod("e", { priority: 5 }))
    .post(path, pod("f", { terminationGracePeriodSeconds: 0, nodeName: "n" }))
    .delete(`${path}/f`);
  s.get(`${path}/c/log`)
    .get(`${path}/missing/log`)
    .merge(`${path}/c/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: "d", image: "i" }] } });
}

function accounts(s: Script, core: string): void {
  s.post(`${core}/serviceaccounts`, object("v1", "ServiceAccount", "sa")).post(
    `${core}/serviceaccounts/sa/token`,
    object("authentication.k8s.io/v1", "TokenRequest", ""),
  );
  s.post(`${core}/serviceaccounts/sa/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: ["a"], expirationSeconds: 700 },
  });
  s.post(`${core}/serviceaccounts/sa/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 10 },
  });
  s.post(`${core}/serviceaccounts/missing/token`, { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" });
  const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  s.get(`${requests}/missing/approval`);
}

function namespaces(s: Script): void {
  const path = "/api/v1/namespaces";
  s.post(path, object("v1", "Namespace", "diff-life"))
    .get(`${path}/diff-life`)
    .put(`${path}/diff-life`, object("v1", "Namespace", "diff-life"));
  s.merge(`${path}/diff-life`, { spec: { finalizers: [] } }).merge(`${path}/diff-life/status`, {
    status: { phase: "Terminating" },
  });
  s.post(`${path}/missing/configmaps`, object("v1", "ConfigMap", "a"))
    .delete(`${path}/default`)
    .delete(`${path}/diff-life`)
    .get(`${path}/diff-life`);
  s.post(`${path}/diff-life/configmaps`, object("v1", "ConfigMap", "a"))
    .delete(`${path}/diff-life`)
    .post(path, object("v1", "Namespace", "diff-life"));
  s.put(`${path}/diff-life/finalize`, object("v1", "Namespace", "diff-life", { spec: { finalizers: [] } })).get(
    `${path}/diff-life`,
  );
  s.post(path, object("v1", "Namespace", "Not.Valid")).get(`${path}?fieldSelector=metadata.name%3Ddefault`);
}

function reviews(s: Script): void {
  const v1 = "/apis/authorization.k8s.io/v1";
  const attributes = { verb: "get", resource: "pods", namespace: "default" };
  s.post(`${v1}/selfsubjectaccessreviews`, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: attributes },
  });
  s.post(`${v1}/subjectaccessreviews`, {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user: "admin", groups: ["system:masters"], nonResourceAttributes: { path: "/x", verb: "get" } },
  });
  s.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "SelfSubjectReview",
  });
  s.post("/apis/authentication.k8s.io/v1/tokenreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec: { token: "nonsense" },
  });
  s.get("/apis/authentication.k8s.io/v1/tokenreviews").post("/apis/authentication.k8s.io/v1/tokenreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
  });
}

export function scales(): Script {
  const { script: s, core, group } = inNamespace("diff-scales");
  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const selector = { matchLabels: { app: "x" } };
  const scale = (name: string, replicas: number): object =>
    object("autoscaling/v1", "Scale", name, { spec: { replicas } });
  const kinds: readonly (readonly [string, object])[] = [
    [`${core}/replicationcontrollers`, object("v1", "ReplicationController", "x", { spec: { template } })],
    [`${group("apps/v1")}/replicasets`, object("apps/v1", "ReplicaSet", "x", { spec: { selector, template } })],
    [`${group("apps/v1")}/statefulsets`, object("apps/v1", "StatefulSet", "x", { spec: { selector, template } })],
    [
      `${group("apps/v1")}/deployments`,
      object("apps/v1", "Deployment", "x", {
        spec: { selector: { matchExpressions: [{ key: "app", operator: "In", values: ["x"] }] }, template },
      }),
    ],
  ];
  for (const [path, made] of kinds) {
    s.post(path, made)
      .get(`${path}/x/scale`)
      .put(`${path}/x/scale`, scale("x", 3))
      .merge(`${path}/x/scale`, { spec: { replicas: 0 } })
      .json(`${path}/x/scale`, [{ op: "replace", path: "/spec/replicas", value: 2 }])
      .apply(`${path}/x/scale?fieldManager=m&force=true`, scale("x", 4))
      .put(`${path}/x/scale`, {
        ...(scale("x", 5) as Record<string, unknown>),
        metadata: { name: "x", resourceVersion: "1" },
      })
      .put(`${path}/x/scale`, scale("x", -1))
      .put(`${path}/missing/scale`, scale("missing", 1))
      .get(`${path}/x/scale`, { accept: table })
      .get(`${path}/x`)
      .delete(`${path}/x/scale`);
  }
  return s;
}
