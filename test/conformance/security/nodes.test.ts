/** The Node authorizer and NodeRestriction beside those of a real kube-apiserver: the same requests of the same nodes. */
import { expect, test } from "vitest";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { newCertificateRequest } from "../../fixtures/certificate-request.js";
import { eventually, patienceMs } from "../../eventually.js";
import { statedCount } from "../stated.js";
import { type BothServers, type Json, type SentRequest, startBoth } from "./both-servers.js";

const core = "/api/v1";
const inDefault = `${core}/namespaces/default`;
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const slices = "/apis/resource.k8s.io/v1/resourceslices";
const csiNodes = "/apis/storage.k8s.io/v1/csinodes";
const certificates = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

const named = (name: string, more: object = {}): object => ({ metadata: { name }, ...more });

function pod(name: string, nodeName: string, more: object = {}): object {
  return named(name, {
    spec: {
      nodeName,
      serviceAccountName: `account-${name}`,
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: `pull-${name}` }],
      containers: [
        {
          name: "c",
          image: "i",
          env: [{ name: "E", valueFrom: { secretKeyRef: { name: `env-${name}`, key: "k" } } }],
          envFrom: [{ configMapRef: { name: `from-${name}` } }],
        },
      ],
      volumes: [
        { name: "v", persistentVolumeClaim: { claimName: `claim-${name}` } },
        { name: "s", secret: { secretName: `volume-${name}` } },
        { name: "m", projected: { sources: [{ configMap: { name: `projected-${name}` } }] } },
        { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t", audience: "known" } }] } },
        {
          name: "e",
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          },
        },
      ],
      ...more,
    },
  });
}

const volume = (name: string): object =>
  named(`pv-${name}`, {
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      claimRef: { namespace: "default", name: `claim-${name}` },
      csi: { driver: "d", volumeHandle: name, nodePublishSecretRef: { namespace: "default", name: `publish-${name}` } },
    },
  });

const claim = (name: string): object =>
  named(name, { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } });

const slice = (node: string): object =>
  named(`slice-${node}`, {
    spec: { nodeName: node, driver: "d.example", pool: { name: node, resourceSliceCount: 1 } },
  });

const attachment = (node: string): object =>
  named(`attached-${node}`, {
    spec: { attacher: "d", nodeName: node, source: { persistentVolumeName: `pv-${node === "n1" ? "a" : "b"}` } },
  });

async function setUp(send: BothServers["sendReal"]): Promise<void> {
  const make = async (path: string, body: object): Promise<void> => {
    const { status, body: answer } = await send({ method: "POST", path, body });
    expect([path, status, answer.message]).toEqual([path, 201, undefined]);
  };
  for (const node of ["n1", "n2"]) {
    await make(`${core}/nodes`, named(node));
    await make(slices, slice(node));
    await make("/apis/storage.k8s.io/v1/volumeattachments", attachment(node));
  }
  for (const name of ["a", "b"]) {
    for (const secret of ["pull", "env", "volume", "publish"])
      await make(`${inDefault}/secrets`, named(`${secret}-${name}`));
    for (const map of ["from", "projected"]) await make(`${inDefault}/configmaps`, named(`${map}-${name}`));
    await make(`${inDefault}/serviceaccounts`, named(`account-${name}`));
    await make(`${inDefault}/persistentvolumeclaims`, claim(`claim-${name}`));
    await make(`${inDefault}/persistentvolumeclaims`, claim(`${name}-e`));
    await make(`${core}/persistentvolumes`, volume(name));
    await make(`${inDefault}/pods`, pod(name, name === "a" ? "n1" : "n2"));
    if (name === "a") await make(`${inDefault}/pods`, pod("plain", "n1", { volumes: [] }));
  }
}

const patch = (path: string, body: object): SentRequest => ({
  method: "PATCH",
  path,
  body,
  headers: { "content-type": "application/strategic-merge-patch+json" },
});
const post = (path: string, body: object): SentRequest => ({ method: "POST", path, body });

const mirror = (more: object = {}, spec: object = {}): object => ({
  metadata: {
    name: "mirror",
    annotations: { "kubernetes.io/config.mirror": "x" },
    ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "UID-OF-N1", controller: true }],
    ...more,
  },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }], ...spec },
});

const token = (ref: object | undefined, audiences: readonly string[] = ["known"]): SentRequest =>
  post(`${inDefault}/serviceaccounts/account-a/token`, {
    spec: { audiences, ...(ref === undefined ? {} : { boundObjectRef: ref }) },
  });
const ofPod = (name: string): object => ({ apiVersion: "v1", kind: "Pod", name, uid: `UID-OF-${name}` });

const certificate = (commonName: string): SentRequest =>
  post(certificates, {
    metadata: { name: "c" },
    spec: {
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
      request: Buffer.from(newCertificateRequest({ commonName, organizations: ["system:nodes"] }).pem).toString(
        "base64",
      ),
    },
  });

/** Requests of node n1. */
const cases: readonly SentRequest[] = [
  ...["pull-a", "env-a", "volume-a", "publish-a", "pull-b", "publish-b", "none"].map((name) => ({
    path: `${inDefault}/secrets/${name}`,
  })),
  ...["from-a", "projected-a", "from-b", "none"].map((name) => ({ path: `${inDefault}/configmaps/${name}` })),
  { path: `${inDefault}/secrets` },
  { path: `${core}/secrets` },
  { path: `${inDefault}/secrets?fieldSelector=metadata.name%3Dpull-a` },
  { path: `${inDefault}/secrets?fieldSelector=metadata.name%3Dpull-b` },
  { method: "DELETE", path: `${inDefault}/secrets/pull-a` },
  ...["claim-a", "a-e", "claim-b"].map((name) => ({ path: `${inDefault}/persistentvolumeclaims/${name}` })),
  { path: `${inDefault}/persistentvolumeclaims` },
  patch(`${inDefault}/persistentvolumeclaims/claim-a/status`, { status: { capacity: { storage: "2Gi" } } }),
  patch(`${inDefault}/persistentvolumeclaims/claim-b/status`, { status: { capacity: { storage: "2Gi" } } }),
  patch(`${inDefault}/persistentvolumeclaims/claim-a`, { metadata: { labels: { a: "b" } } }),
  ...["pv-a", "pv-b"].map((name) => ({ path: `${core}/persistentvolumes/${name}` })),
  ...["n1", "n2"].map((name) => ({ path: `/apis/storage.k8s.io/v1/volumeattachments/attached-${name}` })),
  { path: "/apis/storage.k8s.io/v1/volumeattachments" },
  ...["account-a", "account-b"].map((name) => ({ path: `${inDefault}/serviceaccounts/${name}` })),
  token(ofPod("a")),
  token(undefined),
  token({ apiVersion: "v1", kind: "Pod", name: "a" }),
  token({ ...ofPod("a"), uid: "other" }),
  token(ofPod("b")),
  token(ofPod("none")),
  token(ofPod("a"), ["unknown"]),
  token(ofPod("plain"), ["unknown"]),
  token(ofPod("a"), ["known", "another"]),
  post(`${inDefault}/serviceaccounts/account-b/token`, { spec: { audiences: ["known"] } }),
  { path: `${core}/nodes` },
  { path: `${core}/nodes/n1` },
  { path: `${core}/nodes/n2` },
  { method: "DELETE", path: `${core}/nodes/n1` },
  post(`${core}/nodes`, named("n3")),
  patch(`${core}/nodes/n1`, { metadata: { labels: { "example.com/a": "b", "kubernetes.io/os": "linux" } } }),
  patch(`${core}/nodes/n1`, { metadata: { labels: { "node-restriction.kubernetes.io/a": "b", "x.k8s.io/y": "z" } } }),
  patch(`${core}/nodes/n1`, {
    metadata: { labels: { "node.kubernetes.io/a": "b", "x.kubelet.kubernetes.io/y": "z" } },
  }),
  patch(`${core}/nodes/n1`, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }),
  patch(`${core}/nodes/n1`, {
    metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] },
  }),
  patch(`${core}/nodes/n1/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } }),
  patch(`${core}/nodes/n2/status`, { status: { conditions: [{ type: "Ready", status: "True" }] } }),
  { path: `${inDefault}/pods/a` },
  { path: `${inDefault}/pods/b` },
  { path: `${core}/pods` },
  { path: `${core}/pods?fieldSelector=spec.nodeName%3Dn1` },
  { path: `${core}/pods?fieldSelector=spec.nodeName%3Dn2` },
  patch(`${inDefault}/pods/a/status`, { status: { message: "m" } }),
  patch(`${inDefault}/pods/b/status`, { status: { message: "m" } }),
  patch(`${inDefault}/pods/a/status`, { metadata: { labels: { a: "b" } } }),
  patch(`${inDefault}/pods/a`, { metadata: { labels: { a: "b" } } }),
  post(`${inDefault}/pods`, pod("new", "n1")),
  post(`${inDefault}/pods`, mirror({ annotations: {} })),
  post(`${inDefault}/pods`, mirror({}, { nodeName: "n2" })),
  post(`${inDefault}/pods`, mirror({ ownerReferences: [] })),
  post(`${inDefault}/pods`, mirror({ ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "x" }] })),
  post(`${inDefault}/pods`, mirror({}, { volumes: [{ name: "v", configMap: { name: "from-a" } }] })),
  post(`${inDefault}/pods`, mirror({}, { volumes: [{ name: "v", csi: { driver: "d" } }] })),
  post(`${inDefault}/pods`, mirror()),
  post(`${inDefault}/pods/b/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "b" } }),
  { method: "DELETE", path: `${inDefault}/pods/b` },
  post(leases, named("n1")),
  post(leases, named("n2")),
  { path: `${leases}/n1` },
  { path: `${leases}/n2` },
  { path: leases },
  { path: "/apis/coordination.k8s.io/v1/namespaces/default/leases/n1" },
  post(csiNodes, named("n1", { spec: { drivers: [] } })),
  post(csiNodes, named("n2", { spec: { drivers: [] } })),
  { path: `${csiNodes}/n1` },
  { path: `${csiNodes}/n2` },
  { path: slices },
  { path: `${slices}?fieldSelector=spec.nodeName%3Dn1` },
  { path: `${slices}/slice-n1` },
  { path: `${slices}/slice-n2` },
  post(
    slices,
    named("other", { spec: { nodeName: "n2", driver: "d.example", pool: { name: "n2", resourceSliceCount: 1 } } }),
  ),
  { method: "DELETE", path: `${slices}/slice-n1` },
  certificate("system:node:n1"),
  certificate("system:node:n2"),
  { path: certificates },
  { path: `${core}/services` },
  { path: `${core}/namespaces` },
  { path: "/apis/apps/v1/deployments" },
  { path: "/apis/storage.k8s.io/v1/csidrivers" },
  post(`${inDefault}/events`, named("e", { involvedObject: { namespace: "default" }, reason: "r" })),
  post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", { spec: { namespace: "default" } }),
];

const node = { "impersonate-user": "system:node:n1", "impersonate-group": "system:nodes" };

test("docs/compatibility.md states the number of cases", () => {
  expect(cases.length).toBe(statedCount("requests of a node"));
});

test.skipIf(envtestAssets() === undefined)(
  "a node may do the same on both servers, and is refused in the same words",
  async () => {
    // the flag adds to the RBAC of every test server
    const flags = ["--authorization-mode=Node", "--enable-admission-plugins=NodeRestriction"];
    const own = { authorization: ["RBAC", "Node"], enabledAdmission: ["NodeRestriction"] } as const;
    await using both = await startBoth({ flags, own });
    const uids = new Map<BothServers["sendReal"], (text: string) => string>();
    for (const send of [both.sendReal, both.sendOwn]) {
      await setUp(send);
      const uidOf = async (path: string): Promise<string> => (await send({ path })).body.metadata.uid as string;
      const known = {
        "UID-OF-N1": await uidOf(`${core}/nodes/n1`),
        "UID-OF-a": await uidOf(`${inDefault}/pods/a`),
        "UID-OF-plain": await uidOf(`${inDefault}/pods/plain`),
        "UID-OF-b": await uidOf(`${inDefault}/pods/b`),
      };
      uids.set(send, (text) => Object.entries(known).reduce((all, [word, uid]) => all.replaceAll(word, uid), text));
      // the real server learns of objects by watches
      await eventually("the graph is complete", async () => {
        const paths = [
          `${inDefault}/secrets/publish-a`,
          `${slices}/slice-n1`,
          `${inDefault}/persistentvolumeclaims/a-e`,
        ];
        const seen = await Promise.all(paths.map((path) => send({ path, headers: node })));
        return seen.every(({ status }) => status === 200);
      });
    }
    const outcome = async (send: BothServers["sendReal"], sent: SentRequest): Promise<Json> => {
      const withUids = uids.get(send) as (text: string) => string;
      const body = sent.body === undefined ? {} : { body: withUids(JSON.stringify(sent.body)) };
      const { status, body: answer } = await send({ ...sent, ...body, headers: { ...sent.headers, ...node } });
      const plain = String(answer.message ?? "").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID");
      return { status, message: plain.replace(/(status\.conditions): .*/s, "$1") };
    };
    const differences: Json[] = [];
    for (const sent of cases) {
      const what = `${sent.method ?? "GET"} ${sent.path} ${JSON.stringify(sent.body ?? "")}`;
      const [real, ours] = [await outcome(both.sendReal, sent), await outcome(both.sendOwn, sent)];
      if (JSON.stringify(real) !== JSON.stringify(ours)) differences.push({ what, real, ours });
    }
    expect(differences).toEqual([]);
  },
  5 * patienceMs,
);
