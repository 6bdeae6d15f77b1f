/** Kinds and endpoints that have rules of their own: autoscalers in two versions, events in two groups, certificates, tokens, devices, scale. */
import { inNamespace, object, Script, table } from "../script.js";

const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVk1IMENBUUF3R3pFWk1CY0dBMVVFQXd3UVkyOTRjM2RoYVc0dVpYaGhiWEJzWlRCWk1CTUdCeXFHU000OQpBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJHeURzcFNBT1ZRUDJQc1RKRlJtSzkxTGNQRnJoa0ZQZzVGZkRRWmNWKzZrCnl4UCtkSjVNQWhPY3g3MEp6eGZEM1FNMFBWV3JZQWhZWjJPbUZVeVNzb3VnQURBS0JnZ3Foa2pPUFFRREFnTkkKQURCRkFpRUFpQk1YSUJjQTgvT3hNckVWTjhHUm1WSE0wU1gwRGdqeVBqRFF6SkNpQWZnQ0lDaDNjK3ZJVkhRUwpMR1o5NnN6Mmp0S3Q5SUhRT1JGTVF1Mk1ZcFByQ2RBZgotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

/** Of the group system:masters. */
const administrators =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZ01JR0hBZ0VBTUNVeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVFvd0NBWURWUVFEREFGNApNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUU3bE5BNXovQndjYlE3TVhrY0NRVDR3T1JiM3RiCndtY0ZjdHV5OTdaeVg2YjFSdlovRTVQa0h2NXBrMEx2Skd2aENKcXhlT3Fwemg3VGNvNnFGdytxV0tBQU1Bb0cKQ0NxR1NNNDlCQU1DQTBnQU1FVUNJUUNKRjB0TDlxUkRQVmQ3c2toRDZUdHJqY3ZBaGlzM1hvbklzZm9PbnNMdwprUUlnRE16T0NuZ1JpdFdMT1Y5N29pUnh5cGY5dTNwTmdnOFVVbjFDNXV4bU50VT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

export function autoscalers(): Script {
  const { script: s, group } = inNamespace("diff-scaling");
  const [v1, v2] = ["autoscaling/v1", "autoscaling/v2"].map(
    (version) => `${group(version)}/horizontalpodautoscalers`,
  ) as [string, string];
  const target = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
  const hpa = (version: string, name: string, spec: object): object =>
    object(`autoscaling/${version}`, "HorizontalPodAutoscaler", name, {
      spec: { scaleTargetRef: target, maxReplicas: 3, ...spec },
    });
  const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
  const pods = { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "10" } } };
  s.post(v1, hpa("v1", "old", { targetCPUUtilizationPercentage: 60 }))
    .get(`${v2}/old`)
    .post(
      v2,
      hpa("v2", "new", {
        metrics: [cpu, pods],
        minReplicas: 2,
        behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
      }),
    )
    .get(`${v1}/new`)
    .get(`${v1}/new`, { accept: table })
    .get(`${v2}/new`, { accept: table })
    .merge(`${v1}/new`, { spec: { maxReplicas: 5 } })
    .get(`${v2}/new`)
    .merge(`${v2}/old`, { spec: { minReplicas: 2 } })
    .get(`${v1}/old`)
    .merge(`${v1}/old/status`, {
      status: { currentReplicas: 2, desiredReplicas: 2, currentCPUUtilizationPercentage: 40 },
    })
    .merge(`${v2}/new/status`, {
      status: { currentReplicas: 1, desiredReplicas: 1, conditions: [{ type: "AbleToScale", status: "True" }] },
    })
    .get(`${v1}/new`)
    .apply(`${v2}/applied?fieldManager=m`, hpa("v2", "applied", { metrics: [cpu] }))
    .apply(`${v1}/applied?fieldManager=n`, hpa("v1", "applied", { targetCPUUtilizationPercentage: 70 }))
    .apply(`${v1}/applied?fieldManager=m`, hpa("v1", "applied", { targetCPUUtilizationPercentage: 80 }))
    .post(v1, hpa("v1", "bad", { minReplicas: 0, targetCPUUtilizationPercentage: 0 }))
    .post(
      v2,
      hpa("v2", "bad", {
        metrics: [{ type: "Nonsense" }],
        minReplicas: 9,
        behavior: { scaleUp: { selectPolicy: "x" } },
      }),
    )
    .get(v1)
    .get(v2)
    .delete(v1);
  return s;
}

export function events(): Script {
  const { script: s, core, group } = inNamespace("diff-events");
  const old = `${core}/events`;
  const next = `${group("events.k8s.io/v1")}/events`;
  const about = { kind: "Pod", name: "p", namespace: "diff-events" };
  const event = (name: string, rest: object): object => object("events.k8s.io/v1", "Event", name, rest);
  const good = {
    regarding: about,
    reason: "R",
    note: "n",
    type: "Normal",
    action: "A",
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "i",
  };
  s.post(next, event("good", good))
    .get(`${old}/good`)
    .get(`${next}/good`, { accept: table })
    .get(`${old}/good`, { accept: table });
  for (const [name, rest] of [
    ["no-time", { ...good, eventTime: undefined }],
    ["no-controller", { ...good, reportingController: "" }],
    ["bad-controller", { ...good, reportingController: "b@d!" }],
    ["no-instance", { ...good, reportingInstance: "" }],
    ["no-action", { ...good, action: "" }],
    ["no-reason", { ...good, reason: "" }],
    ["bad-type", { ...good, type: "Strange" }],
    ["long-note", { ...good, note: "x".repeat(1025) }],
    ["elsewhere", { ...good, regarding: { ...about, namespace: "default" } }],
    ["series", { ...good, series: { count: 1 } }],
    ["old-fields", { ...good, deprecatedCount: 2, deprecatedSource: { component: "x" } }],
  ] as const) {
    s.post(next, event(name, rest));
  }
  s.merge(`${next}/good`, { note: "changed" })
    .merge(`${next}/good`, { series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } })
    .merge(`${next}/good`, { series: { count: 0, lastObservedTime: "2026-01-01T00:00:01.000000Z" } })
    .merge(`${old}/good`, { message: "changed", count: 3 })
    .post(
      old,
      object("v1", "Event", "classic", {
        involvedObject: about,
        reason: "R",
        message: "m",
        type: "Normal",
        count: 1,
        source: { component: "k" },
      }),
    )
    .get(`${next}/classic`)
    .post(old, object("v1", "Event", "elsewhere", { involvedObject: { ...about, namespace: "other" } }))
    .get(`${old}?fieldSelector=involvedObject.name%3Dp,reason%3DR`)
    .get(`${next}?fieldSelector=regarding.name%3Dp`)
    .get(`${next}?fieldSelector=involvedObject.name%3Dp`)
    .delete(next);
  return s;
}

export function certificates(): Script {
  const s = new Script();
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const csr = (name: string, spec: object): object =>
    object("certificates.k8s.io/v1", "CertificateSigningRequest", name, {
      spec: { request, signerName: "example.com/s", usages: ["client auth"], ...spec },
    });
  const condition = (type: string, status = "True"): object => ({ type, status, reason: "R", message: "m" });
  s.post(path, csr("diff-a", {})).get(`${path}/diff-a`, { accept: table });
  for (const [name, spec] of [
    ["signer", { signerName: "nodomain" }],
    ["usages", { usages: [] }],
    ["usage", { usages: ["client auth", "client auth", "nonsense"] }],
    ["seconds", { expirationSeconds: 10 }],
    ["request", { request: "bm90aGluZw==" }],
    ["legacy", { signerName: "kubernetes.io/legacy-unknown" }],
    ["masters", { signerName: "kubernetes.io/kube-apiserver-client", request: administrators }],
  ] as const) {
    s.post(path, csr(`diff-${name}`, spec));
  }
  const withStatus = (conditions: readonly object[], status: object = {}): object => ({
    ...csr("diff-a", {}),
    status: { conditions, ...status },
  });
  s.merge(`${path}/diff-a`, { spec: { usages: ["server auth"] } })
    .merge(`${path}/diff-a`, { status: { conditions: [condition("Approved")] } })
    .put(`${path}/diff-a/approval`, withStatus([condition("Approved"), condition("Denied")]))
    .put(`${path}/diff-a/approval`, withStatus([condition("Approved", "False")]))
    .put(`${path}/diff-a/approval`, withStatus([condition("")]))
    .put(`${path}/diff-a/approval`, withStatus([condition("Approved")]))
    .get(`${path}/diff-a/approval`)
    .get(`${path}/diff-a`, { accept: table })
    .put(`${path}/diff-a/approval`, withStatus([]))
    .merge(`${path}/diff-a/status`, { status: { certificate: "bm90IGEgY2VydA==" } })
    .merge(`${path}/diff-a/status`, { status: { conditions: [condition("Failed")] } })
    .get(`${path}?fieldSelector=spec.signerName%3Dexample.com%2Fs`, { accept: table })
    .get(`${path}?fieldSelector=spec.username%3Da`)
    .delete(`${path}/diff-a`)
    .delete(`${path}/diff-legacy`);
  return s;
}

export function tokens(): Script {
  const { script: s, core } = inNamespace("diff-tokens");
  const token = (spec: object): object => ({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec });
  const path = `${core}/serviceaccounts/sa/token`;
  s.post(`${core}/serviceaccounts`, object("v1", "ServiceAccount", "sa"))
    .post(
      `${core}/pods`,
      object("v1", "Pod", "p", { spec: { serviceAccountName: "sa", containers: [{ name: "c", image: "i" }] } }),
    )
    .post(`${core}/pods`, object("v1", "Pod", "q", { spec: { containers: [{ name: "c", image: "i" }] } }))
    .post(`${core}/secrets`, object("v1", "Secret", "s"));
  for (const spec of [
    {},
    { expirationSeconds: 599 },
    { expirationSeconds: 2 ** 33 },
    { audiences: ["a", "b"], expirationSeconds: 3600 },
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" } },
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "missing" } },
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "00000000-0000-4000-8000-000000000000" } },
    { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "s" } },
    { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "s" } },
    { boundObjectRef: { kind: "Node", apiVersion: "v1", name: "missing" } },
  ]) {
    s.post(path, token(spec));
  }
  s.get(path).post(path, { ...token({}), metadata: { name: "other" } });
  const v1 = "/apis/authorization.k8s.io/v1";
  const review = (kind: string, spec: object): object => ({ apiVersion: "authorization.k8s.io/v1", kind, spec });
  const attributes = { verb: "get", resource: "pods", namespace: "default" };
  s.post(`${v1}/subjectaccessreviews`, review("SubjectAccessReview", { resourceAttributes: attributes }))
    .post(`${v1}/subjectaccessreviews`, review("SubjectAccessReview", { user: "u" }))
    .post(
      `${v1}/subjectaccessreviews`,
      review("SubjectAccessReview", {
        user: "u",
        resourceAttributes: attributes,
        nonResourceAttributes: { path: "/" },
      }),
    )
    .post(`${v1}/selfsubjectaccessreviews`, review("SelfSubjectAccessReview", {}))
    .post(
      `${v1}/selfsubjectaccessreviews`,
      review("SelfSubjectAccessReview", { nonResourceAttributes: { path: "/metrics", verb: "get" } }),
    )
    .post(
      `${v1}/namespaces/diff-tokens/localsubjectaccessreviews`,
      review("LocalSubjectAccessReview", {
        user: "admin",
        groups: ["system:masters"],
        resourceAttributes: { ...attributes, namespace: "diff-tokens" },
      }),
    )
    .post(
      `${v1}/namespaces/diff-tokens/localsubjectaccessreviews`,
      review("LocalSubjectAccessReview", { user: "admin", groups: ["system:masters"], resourceAttributes: attributes }),
    )
    .post(
      `${v1}/selfsubjectaccessreviews?dryRun=All`,
      review("SelfSubjectAccessReview", { resourceAttributes: attributes }),
    )
    .get(`${v1}/selfsubjectaccessreviews`)
    .post("/apis/authentication.k8s.io/v1/tokenreviews", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token: "x", audiences: ["a"] },
    });
  return s;
}

export function devices(): Script {
  const { script: s, group } = inNamespace("diff-devices");
  const v1 = "resource.k8s.io/v1";
  const claims = `${group(v1)}/resourceclaims`;
  const claim = (name: string, given: object): object =>
    object(v1, "ResourceClaim", name, { spec: { devices: given } });
  const exactly = { deviceClassName: "c" };
  for (const [name, given] of [
    ["empty", {}],
    ["good", { requests: [{ name: "r", exactly }] }],
    ["none", { requests: [{ name: "r" }] }],
    ["both", { requests: [{ name: "r", exactly, firstAvailable: [{ name: "s", deviceClassName: "c" }] }] }],
    [
      "first",
      {
        requests: [
          {
            name: "r",
            firstAvailable: [
              { name: "s", deviceClassName: "c" },
              { name: "t", deviceClassName: "d", count: 2 },
            ],
          },
        ],
      },
    ],
    ["class", { requests: [{ name: "r", exactly: { deviceClassName: "" } }] }],
    ["mode", { requests: [{ name: "r", exactly: { ...exactly, allocationMode: "Some" } }] }],
    ["all", { requests: [{ name: "r", exactly: { ...exactly, allocationMode: "All", count: 2 } }] }],
    ["negative", { requests: [{ name: "r", exactly: { ...exactly, count: -1 } }] }],
    [
      "twice",
      {
        requests: [
          { name: "r", exactly },
          { name: "r", exactly },
        ],
      },
    ],
    [
      "constraint",
      { requests: [{ name: "r", exactly }], constraints: [{ requests: ["x"], matchAttribute: "a.example.com/b" }] },
    ],
    [
      "config",
      { requests: [{ name: "r", exactly }], config: [{ requests: ["r"] }, { opaque: { driver: "", parameters: {} } }] },
    ],
  ] as const) {
    s.post(claims, claim(name, given));
  }
  s.get(`${claims}/good`, { accept: table }).merge(`${claims}/good/status`, { status: {} }).delete(`${claims}/good`);
  const templates = `${group(v1)}/resourceclaimtemplates`;
  s.post(
    templates,
    object(v1, "ResourceClaimTemplate", "t", { spec: { spec: { devices: { requests: [{ name: "r", exactly }] } } } }),
  )
    .post(
      templates,
      object(v1, "ResourceClaimTemplate", "bad", {
        spec: { metadata: { labels: { "b@d": "x" } }, spec: { devices: { requests: [{ name: "B", exactly }] } } },
      }),
    )
    .delete(`${templates}/t`);
  const classes = `/apis/${v1}/deviceclasses`;
  s.post(classes, object(v1, "DeviceClass", "diff-class", { spec: {} }))
    .post(classes, object(v1, "DeviceClass", "diff-bad", { spec: { selectors: [{}], config: [{}] } }))
    .get(`${classes}/diff-class`, { accept: table })
    .delete(`${classes}/diff-class`);
  const slices = `/apis/${v1}/resourceslices`;
  const slice = (name: string, spec: object): object => object(v1, "ResourceSlice", name, { spec });
  const pool = { name: "p", resourceSliceCount: 1, generation: 1 };
  for (const [name, spec] of [
    ["empty", {}],
    ["good", { driver: "d.example.com", pool, allNodes: true, devices: [{ name: "a" }] }],
    ["nowhere", { driver: "d.example.com", pool, devices: [{ name: "a" }] }],
    ["everywhere", { driver: "d.example.com", pool, allNodes: true, nodeName: "n" }],
    ["false", { driver: "d.example.com", pool, allNodes: false }],
    ["pool", { driver: "Bad_", pool: { name: "", resourceSliceCount: 0, generation: -1 }, nodeName: "n" }],
    [
      "device",
      { driver: "d.example.com", pool, nodeName: "n", devices: [{ name: "A" }, { name: "b", nodeName: "n" }] },
    ],
  ] as const) {
    s.post(slices, slice(`diff-${name}`, spec));
  }
  s.get(`${slices}/diff-good`, { accept: table })
    .merge(`${slices}/diff-good`, { spec: { driver: "e.example.com" } })
    .get(`${slices}?fieldSelector=spec.driver%3Dd.example.com`, { accept: table })
    .delete(`${slices}/diff-good`);
  return s;
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
