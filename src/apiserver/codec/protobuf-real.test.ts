import { inOneGo } from "../../base/index.js";
import { beforeAll, describe, expect, test } from "vitest";
import { askReal, realAnswer } from "../../../test/real-answer.js";
import type { KubeObject } from "../../api/index.js";
import { hasRealCluster } from "../../testing/shared-envtest.js";
import { protobufCodec, protobufMediaType } from "./index.js";

const pod = {
  metadata: { labels: { app: "web" } },
  spec: {
    containers: [
      {
        name: "c",
        image: "i",
        env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        ports: [{ containerPort: 80 }],
        resources: { requests: { cpu: "0.5", memory: "1024Mi" } },
        livenessProbe: { httpGet: { port: "http", path: "/" } },
      },
    ],
    securityContext: { supplementalGroups: [1, 2, 3] },
    volumes: [{ name: "v", emptyDir: {} }],
  },
};
const selector = { matchLabels: { app: "web" } };

/** The path of the collection, and the object that is created there. */
const objects: readonly (readonly [string, KubeObject])[] = [
  ["/apis/apps/v1/namespaces/codec/deployments", of("apps/v1", "Deployment", { spec: { selector, template: pod } })],
  [
    "/apis/apps/v1/namespaces/codec/statefulsets",
    of("apps/v1", "StatefulSet", {
      spec: {
        selector,
        serviceName: "s",
        template: pod,
        volumeClaimTemplates: [
          {
            metadata: { name: "d" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    }),
  ],
  ["/api/v1/namespaces/codec/configmaps", of("v1", "ConfigMap", { data: { b: "ü €", c: "", a: "y" } })],
  ["/api/v1/namespaces/codec/secrets", of("v1", "Secret", { data: { key: "AAEC/w==" }, type: "Opaque" })],
  ["/api/v1/namespaces/codec/services", of("v1", "Service", { spec: { ports: [{ port: 80, targetPort: "http" }] } })],
  [
    "/apis/batch/v1/namespaces/codec/cronjobs",
    of("batch/v1", "CronJob", {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { ...pod.spec, restartPolicy: "Never" } } } },
      },
    }),
  ],
  [
    "/apis/coordination.k8s.io/v1/namespaces/codec/leases",
    of("coordination.k8s.io/v1", "Lease", { spec: { holderIdentity: "h", renewTime: "2026-01-02T03:04:05.123456Z" } }),
  ],
  [
    "/apis/autoscaling/v2/namespaces/codec/horizontalpodautoscalers",
    of("autoscaling/v2", "HorizontalPodAutoscaler", {
      spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "apps/v1" } },
    }),
  ],
  [
    "/apis/policy/v1/namespaces/codec/poddisruptionbudgets",
    of("policy/v1", "PodDisruptionBudget", { spec: { maxUnavailable: "25%", selector } }),
  ],
  [
    "/apis/networking.k8s.io/v1/namespaces/codec/networkpolicies",
    of("networking.k8s.io/v1", "NetworkPolicy", {
      spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }], from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] },
    }),
  ],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "codecs.codec.example" },
      spec: {
        group: "codec.example",
        scope: "Namespaced",
        names: { plural: "codecs", kind: "Codec" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    additionalProperties: { type: "string", default: "x" },
                  },
                  items: { type: "array", items: { type: "number", minimum: 0.5, enum: [1, 2.5] } },
                },
              },
            },
          },
        ],
      },
    } as unknown as KubeObject,
  ],
];

function of(apiVersion: string, kind: string, rest: object): KubeObject {
  return { apiVersion, kind, metadata: { name: "x", namespace: "codec", labels: { b: "2", a: "1" } }, ...rest };
}

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  const read = async (path: string) => (await askReal({ path, headers: { accept: protobufMediaType } })).bytes;

  /** One state in both forms: others write to the same server, so both are read until nothing has happened between. */
  const readBoth = async (path: string): Promise<{ readonly bytes: Buffer; readonly json: KubeObject }> => {
    for (let tries = 0; ; tries++) {
      const bytes = await read(path);
      // discovery documents have none
      const metadata: Partial<KubeObject["metadata"]> =
        inOneGo(protobufCodec.decode(bytes, undefined)).object.metadata ?? {};
      // a list can be had again as it was
      const exact = metadata.name === undefined && metadata.resourceVersion !== undefined;
      const at = exact ? `?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact` : "";
      const json = JSON.parse((await askReal({ path: `${path}${at}` })).bytes.toString()) as KubeObject;
      if (tries > 20 || json.metadata?.resourceVersion === metadata.resourceVersion) return { bytes, json };
    }
  };

  const makeNamespace = (name: string): Promise<unknown> =>
    askReal({
      method: "POST",
      path: "/api/v1/namespaces",
      headers: { "content-type": protobufMediaType },
      body: protobufCodec.encode({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    });

  beforeAll(async () => {
    await makeNamespace("codec");
  });

  test.each(objects.map(([path, object]) => ({ kind: object.kind, path, object })))(
    "what we send as protobuf is understood, and $kind is written byte for byte as the server does",
    async ({ path, object }) => {
      const body = protobufCodec.encode(object);
      const created = await askReal({ method: "POST", path, headers: { "content-type": protobufMediaType }, body });
      expect(created.status, created.bytes.toString()).toBe(201);
      const url = `${path}/${object.metadata.name}`;
      const { bytes, json } = await readBoth(url);
      // protobuf says the kind once, JSON also that of objects inside
      const { volumeClaimTemplates: claims = [] } = (json as { spec?: { volumeClaimTemplates?: object[] } }).spec ?? {};
      for (const claim of claims) for (const key of ["kind", "apiVersion"]) Reflect.deleteProperty(claim, key);
      expect(inOneGo(protobufCodec.decode(bytes, undefined)).object).toEqual(json);
      expect(bytes.equals(protobufCodec.encode(json))).toBe(true);
    },
  );

  test.each([
    "/api/v1/namespaces",
    "/api/v1/services",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    "/apis/apiregistration.k8s.io/v1/apiservices",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    "/api/v1/configmaps/nothing",
    "/api/v1/namespaces/codec/pods/nothing",
    "/apis/apps/v1",
  ])("%s is the same in both forms", async (path) => {
    const { bytes, json } = await readBoth(path);
    expect(inOneGo(protobufCodec.decode(bytes, undefined)).object).toEqual(json);
    expect(bytes.equals(protobufCodec.encode(json))).toBe(true);
  });

  test("metadata alone is the same in both forms", async () => {
    const path = "/api/v1/namespaces/default";
    const parameters = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const { bytes } = await askReal({ path, headers: { accept: `${protobufMediaType}${parameters}` } });
    const json = (await realAnswer(path, `application/json${parameters}`)) as KubeObject;
    expect(inOneGo(protobufCodec.decode(bytes, undefined)).object).toEqual(json);
    expect(bytes.equals(protobufCodec.encode(json))).toBe(true);
  });

  test("options of a delete are understood as protobuf", async () => {
    const options = { apiVersion: "v1", kind: "DeleteOptions", dryRun: ["All"], propagationPolicy: "Foreground" };
    const body = protobufCodec.encode(options as unknown as KubeObject);
    // of its own: also in a dry run, a real server takes it for one that is going
    await makeNamespace("codec-options");
    const answer = await askReal({
      method: "DELETE",
      path: "/api/v1/namespaces/codec-options",
      headers: { "content-type": protobufMediaType },
      body,
    });
    expect(answer.status, answer.bytes.toString()).toBe(200);
    expect((await askReal({ path: "/api/v1/namespaces/codec-options" })).status).toBe(200);
  });

  test("watch frames are the same", async () => {
    const query = "watch=1&timeoutSeconds=1&resourceVersion=0&fieldSelector=metadata.name%3Ddefault";
    const path = `/api/v1/namespaces?${query}`;
    const watched = () => askReal({ path, headers: { accept: `${protobufMediaType};stream=watch` } });
    // on a busy machine the watch may end before its first frame is written
    let { bytes } = await watched();
    while (bytes.length === 0) ({ bytes } = await watched());
    const namespace = (await realAnswer("/api/v1/namespaces/default")) as KubeObject;
    expect(bytes.equals(protobufCodec.encodeWatchEvent("ADDED", protobufCodec.encode(namespace)))).toBe(true);
  });
});
