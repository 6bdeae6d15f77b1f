/** Bodies in JSON. For the stall guard. */
import { type Case, configMap, deployment, deployments, fields, many, maps, post } from "../requests.js";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

export const json: readonly Case[] = [
  { name: "data of many keys", request: (n) => post(maps, configMap({ data: fields(n, String) })) },
  { name: "unknown fields", request: (n) => post(maps, configMap(fields(n, String))) },
  {
    name: "repeated fields",
    request: (n) =>
      post(
        maps,
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"stall"},"data":{${many(n, () => '"a":"b"').join(",")}}}`,
      ),
  },
  { name: "brackets", request: (n) => post(maps, "[".repeat(n)) },
  { name: "labels", request: (n) => post(maps, configMap({ metadata: { name: "stall", labels: fields(n, String) } })) },
  {
    name: "wrong labels",
    request: (n) => post(maps, configMap({ metadata: { name: "stall", labels: fields(n, () => "!") } })),
  },
  {
    name: "annotations",
    request: (n) => post(maps, configMap({ metadata: { name: "stall", annotations: fields(n, String) } })),
  },
  {
    name: "finalizers",
    request: (n) => post(maps, configMap({ metadata: { name: "stall", finalizers: many(n, (i) => `a/b${i}`) } })),
  },
  {
    name: "owners",
    request: (n) => {
      const owner = (i: number): object => ({ apiVersion: "v1", kind: "Pod", name: `p${i}`, uid: String(i) });
      return post(maps, configMap({ metadata: { name: "stall", ownerReferences: many(n, owner) } }));
    },
  },
  {
    name: "owners that all control",
    request: (n) => {
      const owner = (i: number): object => ({
        apiVersion: "v1",
        kind: "Pod",
        name: `p${i}`,
        uid: `${i}`,
        controller: true,
      });
      return post(maps, configMap({ metadata: { name: "stall", ownerReferences: many(n, owner) } }));
    },
  },
  {
    name: "managed fields",
    request: (n) => {
      const entry = (i: number): object => ({
        manager: `m${i}`,
        operation: "Update",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { [`f:k${i}`]: {} } },
      });
      return post(maps, configMap({ metadata: { name: "stall", managedFields: many(n, entry) }, data: { k0: "x" } }));
    },
  },
  {
    name: "environment",
    request: (n) => post(deployments, deployment({ env: many(n, (i) => ({ name: `K${i}`, value: "v" })) })),
  },
  {
    name: "environment of the same name",
    request: (n) => post(deployments, deployment({ env: many(n, () => ({ name: "K", value: "v" })) })),
  },
  { name: "wrong environment", request: (n) => post(deployments, deployment({ env: many(n, () => ({ name: "" })) })) },
  {
    name: "ports",
    request: (n) => post(deployments, deployment({ ports: many(n, (i) => ({ containerPort: (i % 60_000) + 1 })) })),
  },
  {
    name: "containers",
    request: (n) => {
      const body = deployment({}) as { readonly spec: { readonly template: { readonly spec: object } } };
      const containers = many(n, (i) => ({ name: `c${i}`, image: "i" }));
      return post(deployments, {
        ...body,
        spec: { ...body.spec, template: { ...body.spec.template, spec: { containers } } },
      });
    },
  },
  {
    name: "volumes and their mounts",
    request: (n) => {
      const body = deployment({}) as { readonly spec: { readonly template: { readonly spec: object } } };
      const containers = [
        { name: "c", image: "i", volumeMounts: many(n, (i) => ({ name: `v${i}`, mountPath: `/m${i}` })) },
      ];
      const volumes = many(n, (i) => ({ name: `v${i}`, emptyDir: {} }));
      return post(deployments, {
        ...body,
        spec: { ...body.spec, template: { ...body.spec.template, spec: { containers, volumes } } },
      });
    },
  },
  {
    name: "mounts and devices",
    request: (n) => {
      const volumeMounts = many(n, (i) => ({ name: `v${i}`, mountPath: `/m${i}` }));
      const volumeDevices = many(n, (i) => ({ name: `d${i}`, devicePath: `/d${i}` }));
      return post(deployments, deployment({ volumeMounts, volumeDevices }));
    },
  },
  {
    name: "label keys that match and that do not",
    request: (n) => {
      const body = deployment({}) as { readonly spec: { readonly template: { readonly spec: object } } };
      const labelSelector = { matchExpressions: many(n, (i) => ({ key: `e${i}`, operator: "Exists" })) };
      const keys = { matchLabelKeys: many(n, (i) => `k${i}`), mismatchLabelKeys: many(n, (i) => `m${i}`) };
      const term = { topologyKey: "t", labelSelector, ...keys };
      const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
      const spec = { ...body.spec.template.spec, affinity };
      return post(deployments, { ...body, spec: { ...body.spec, template: { ...body.spec.template, spec } } });
    },
  },
  {
    name: "topologies of a storage class",
    request: (n) =>
      post("/apis/storage.k8s.io/v1/storageclasses", {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "stall" },
        provisioner: "p",
        allowedTopologies: many(n, (i) => ({ matchLabelExpressions: [{ key: `k${i}`, values: ["v"] }] })),
      }),
  },
  {
    name: "volumes of a stateful set and its claims",
    request: (n) => {
      const { spec, ...rest } = deployment({}) as { readonly spec: { readonly template: { readonly spec: object } } };
      const volumes = many(n, (i) => ({ name: `v${i}`, emptyDir: {} }));
      const template = { ...spec.template, spec: { ...spec.template.spec, volumes } };
      const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } };
      const volumeClaimTemplates = many(n, (i) => ({ metadata: { name: `c${i}` }, spec: claim }));
      const body = {
        ...rest,
        kind: "StatefulSet",
        spec: { ...spec, serviceName: "s", template, volumeClaimTemplates },
      };
      return post("/apis/apps/v1/namespaces/default/statefulsets", body);
    },
  },
  {
    name: "ports of a service",
    request: (n) =>
      post("/api/v1/namespaces/default/services", {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "stall" },
        spec: { ports: many(n, (i) => ({ name: `p${i}`, port: (i % 60_000) + 1 })) },
      }),
  },
  {
    name: "subsets of endpoints",
    request: (n) =>
      post("/api/v1/namespaces/default/endpoints", {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "stall" },
        subsets: many(n, (i) => ({
          addresses: [{ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }],
          ports: [{ port: 1 }],
        })),
      }),
  },
  {
    name: "rules of a role",
    request: (n) =>
      post("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "stall" },
        rules: many(n, (i) => ({ apiGroups: [""], resources: [`r${i}`], verbs: ["get"] })),
      }),
  },
  {
    name: "groups of a user, beside subjects of a binding",
    authorization: "RBAC",
    before: (n) => [
      post(`${rbac}/clusterrolebindings`, {
        metadata: { name: "stall" },
        subjects: many(n, (i) => ({ kind: "Group", name: `g${i}`, apiGroup: "rbac.authorization.k8s.io" })),
        roleRef: { kind: "ClusterRole", name: "view", apiGroup: "rbac.authorization.k8s.io" },
      }),
    ],
    request: (n) =>
      post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        spec: { groups: many(n, (i) => `h${i}`), resourceAttributes: { verb: "get", resource: "pods" } },
      }),
  },
];
