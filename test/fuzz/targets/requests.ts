/** Requests as targets: bodies in every media type, patches, and paths with their queries and headers. */
import type { KubeObject } from "../../../src/api/index.js";
import { writeYaml } from "../../../src/api/yaml/index.js";
import { cborCodec, protobufCodec } from "../../../src/apiserver/codec/index.js";
import { configMap, deployment, deployments, maps } from "../../stalls/requests.js";
import type { TargetKind } from "../target.js";
import { bodyWords, get, patchOf, table, verbWords } from "./pieces.js";
import { mutateRequest, openServer, requestInput } from "./server.js";

const services = "/api/v1/namespaces/default/services";
const pods = "/api/v1/namespaces/default/pods";

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "s" },
  spec: { selector: { a: "b" }, ports: [{ port: 80, targetPort: "http" }] },
};
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "p",
    labels: { app: "a" },
    finalizers: ["example.com/f"],
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "stall", uid: "u" }],
  },
  spec: {
    containers: [
      {
        name: "c",
        image: "i",
        resources: { requests: { cpu: "100m", memory: "1Gi" } },
        ports: [{ containerPort: 80, protocol: "TCP" }],
        env: [{ name: "A", value: "b" }],
      },
    ],
    volumes: [{ name: "v", emptyDir: {} }],
    tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 5 }],
    nodeSelector: { a: "b" },
  },
};
const objects: readonly (readonly [path: string, object: object])[] = [
  [maps, configMap({ data: { a: "b" }, binaryData: { b: "AAEC" } })],
  [deployments, deployment({ ports: [{ containerPort: 1 }] }, { annotations: { a: "b" } })],
  [services, service],
  [pods, pod],
  ["/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "n" } }],
  [
    "/apis/batch/v1/namespaces/default/jobs",
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j" },
      spec: { parallelism: 2, template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["*"] }],
    },
  ],
  [
    "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "l" },
      spec: { leaseDurationSeconds: 1, renewTime: "2026-01-01T00:00:00.000000Z" },
    },
  ],
  [
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "b" },
      spec: { minAvailable: "50%", selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] } },
    },
  ],
];

const nameOf = (object: object): string => (object as KubeObject).metadata.name ?? "";
const bodies = (name: string, mediaType: string, write: (object: KubeObject) => string | Uint8Array): TargetKind => ({
  name,
  seeds: objects.flatMap(([path, object]) =>
    [`POST ${path}?fieldValidation=Warn`, `PUT ${path}/${nameOf(object)}`, `DELETE ${path}/${nameOf(object)}`].map(
      (line) => requestInput(`${line}\ncontent-type: ${mediaType}\naccept: ${mediaType}`, write(object as KubeObject)),
    ),
  ),
  words: [
    ...bodyWords,
    ...verbWords,
    ...(name === "yaml"
      ? ["- ", "&a ", "*a", "<<: ", "!!binary ", "|\n  ", "---\n", "? ", "#", "\t", "0x1F", ".inf", "~", "2026-01-01"]
      : []),
  ],
  mutate: mutateRequest,
  open: () => openServer([], { cbor: true }),
});

const existing = [
  requestInput(`POST ${maps}\ncontent-type: application/json`, JSON.stringify(configMap({ data: { a: "b" } }))),
  requestInput(`POST ${deployments}\ncontent-type: application/json`, JSON.stringify(deployment({}))),
];

const patches: TargetKind = {
  name: "patches",
  seeds: [
    patchOf(`${maps}/stall`, "merge-patch+json", { data: { a: null, c: "d" } }),
    patchOf(`${deployments}/stall/status`, "merge-patch+json", {
      status: { replicas: 1, conditions: [{ type: "A", status: "True" }] },
    }),
    patchOf(`${deployments}/stall/scale`, "merge-patch+json", { spec: { replicas: 3 } }),
    patchOf(`${maps}/stall`, "json-patch+json", [
      { op: "test", path: "/data/a", value: "b" },
      { op: "add", path: "/data/x~1y", value: "z" },
      { op: "move", from: "/data/a", path: "/data/b" },
      { op: "copy", from: "/data", path: "/metadata/labels" },
      { op: "replace", path: "/data/b", value: "" },
      { op: "remove", path: "/data/b" },
    ]),
    patchOf(`${deployments}/stall`, "json-patch+json", [
      { op: "add", path: "/spec/template/spec/containers/-", value: { name: "d", image: "i" } },
    ]),
    patchOf(`${deployments}/stall`, "strategic-merge-patch+json", {
      spec: {
        template: {
          spec: {
            $setElementOrder: 1,
            "$setElementOrder/containers": [{ name: "c" }, { name: "d" }],
            "$deleteFromPrimitiveList/x": ["a"],
            $retainKeys: ["containers"],
            containers: [
              { name: "d", image: "i" },
              { name: "c", $patch: "delete" },
            ],
          },
        },
      },
    }),
    patchOf(`${maps}/stall?fieldManager=m&force=true`, "apply-patch+yaml", {
      apiVersion: "v1",
      kind: "ConfigMap",
      data: { e: "f" },
    }),
    patchOf(`${deployments}/new?fieldManager=n`, "apply-patch+yaml", {
      ...deployment({ ports: [{ containerPort: 80, protocol: "TCP" }] }),
      metadata: { name: "new" },
    }),
    patchOf(`${maps}/stall?fieldManager=o`, "merge-patch+json", {
      metadata: {
        managedFields: [
          {
            manager: "x",
            operation: "Apply",
            apiVersion: "v1",
            time: "2026-01-01T00:00:00Z",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:data": { "f:a": {}, ".": {} } },
          },
        ],
      },
    }),
  ],
  words: [
    ...bodyWords,
    ...verbWords,
    "$patch",
    "$retainKeys",
    "$setElementOrder/",
    "$deleteFromPrimitiveList/",
    '"op":"add"',
    '"path":"/',
    "/-",
    "~0",
    "~1",
    "~2",
    "/0",
    "-1",
    '"from":',
    "merge-patch+json",
    "json-patch+json",
    "strategic-merge-patch+json",
    "apply-patch+yaml",
  ],
  mutate: mutateRequest,
  open: () => openServer(existing),
};

const impersonating = "impersonate-user: u\nimpersonate-group: g\nimpersonate-extra-a: b";

const paths: TargetKind = {
  name: "paths",
  seeds: [
    get(`${maps}?limit=1&labelSelector=app%20in%20(a,b),!c&fieldSelector=metadata.name%21%3Dx`),
    get(
      `${maps}?watch=1&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1`,
    ),
    get(
      `${maps}?watch=true&timeoutSeconds=3&fieldSelector=metadata.name=stall`,
      "accept: application/vnd.kubernetes.protobuf;stream=watch",
    ),
    get(`${maps}?limit=500&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0`),
    get(`${deployments}/stall`, table),
    get(`${deployments}?resourceVersion=1&resourceVersionMatch=Exact&pretty=true`, "accept: application/yaml"),
    get(`${maps}/stall`, `accept: application/vnd.kubernetes.protobuf,*/*;q=0.1\n${impersonating}`),
    get(`${pods}/p/log?tailLines=1&sinceTime=2026-01-01T00:00:00Z&container=c`),
    get("/api/v1/watch/namespaces/default/pods/p"),
    get("/api/v1/nodes?labelSelector=a%3Db"),
    get("/apis", "accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
    ...[
      "/",
      "/api",
      "/apis/apps/v1",
      "/openapi/v2",
      "/openapi/v3/apis/apps/v1?hash=A",
      "/version",
      "/healthz?verbose&exclude=ping",
      "/readyz/ping",
      "/metrics",
      "/.well-known/openid-configuration",
    ].map((path) => get(path)),
    requestInput(`DELETE ${maps}?labelSelector=a=b&dryRun=All&gracePeriodSeconds=0&propagationPolicy=Foreground`),
    requestInput(
      `GET ${maps}\nauthorization: Bearer abc\nif-none-match: "x"\ncontent-length: 5\ntransfer-encoding: chunked`,
    ),
  ],
  words: [
    ...verbWords,
    "/",
    "//",
    "..",
    "%2F",
    "%2e",
    "%",
    "+",
    ";",
    "&",
    "=",
    "?",
    "!=",
    "==",
    " in (",
    " notin (",
    ",",
    "metadata.name",
    "spec.nodeName",
    "status.phase",
    "involvedObject.name",
    "labelSelector=",
    "fieldSelector=",
    "limit=",
    "continue=",
    "watch=1",
    "resourceVersion=",
    "resourceVersionMatch=",
    "sendInitialEvents=true",
    "timeout=",
    "timeoutSeconds=",
    "pretty=",
    "q=0.",
    "application/json",
    "application/yaml",
    "application/cbor",
    "*/*",
    "text/html",
    ";as=Table",
    "PartialObjectMetadataList",
    "\naccept: ",
    "\nimpersonate-uid: ",
    "\nauthorization: ",
    "proxy",
    "exec?command=a",
    "portforward",
    "ephemeralcontainers",
    "eviction",
    "binding",
    "token",
    "status",
    "scale",
    "pods",
    "services",
    "nodes",
    "namespaces",
  ],
  mutate: mutateRequest,
  open: () => openServer(existing),
};

export const requestTargets: readonly TargetKind[] = [
  bodies("json", "application/json", (object) => JSON.stringify(object)),
  bodies("yaml", "application/yaml", writeYaml),
  bodies("protobuf", "application/vnd.kubernetes.protobuf", (object) => protobufCodec.encode(object)),
  bodies("cbor", cborCodec.mediaType, (object) => cborCodec.encode(object)),
  patches,
  paths,
];
