/** Certificate requests and bootstrap tokens on a cluster in this process, on virtual time. */
import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CertificateSigningRequest, ClusterRole, ClusterRoleBinding, formatTime, Secret } from "../../src/api/index.js";
import { FakeClock, Lifetime, seededRandom, startRunning } from "../../src/base/index.js";
import { builtInControllers, runControllers, selectControllers } from "../../src/builtin/index.js";
import { Client } from "../../src/client/index.js";
import { startTestServer, startCluster } from "../../src/testing/cluster.js";
import { createSigningToken } from "../fixtures/bootstrap-token.js";
import { newCertificateRequest, type RequestShape } from "../fixtures/certificate-request.js";

const kubelet = { commonName: "system:node:a", organizations: ["system:nodes"] };
const kubeletSigner = "kubernetes.io/kube-apiserver-client-kubelet";
const clientSigner = "kubernetes.io/kube-apiserver-client";
const usages = ["digital signature", "client auth"] as const;

async function signingCluster(authorization: "RBAC" | "AlwaysAllow" = "AlwaysAllow") {
  const lifetime = new Lifetime();
  const clock = new FakeClock();
  const random = seededRandom(1);
  const server = lifetime.use(await startTestServer({ clock, random, authorization }));
  const client = lifetime.use(new Client({ transport: server.transport(), clock, random }));
  const controllers = selectControllers(["csrapproving", "csrsigning", "csrcleaner"], builtInControllers);
  const credentials = { signer: server.authority() };
  lifetime.use(startRunning((signal) => runControllers({ client, controllers, credentials, clock, random, signal })));
  await clock.pass(10);
  const requests = client.resource(CertificateSigningRequest);
  return {
    server,
    client,
    clock,
    requests,
    as: (username: string, groups: readonly string[] = []) =>
      lifetime.use(new Client({ transport: server.transport({ username, groups }), clock, random })),
    create: (name: string, shape: RequestShape, spec: Record<string, unknown>, by = client) =>
      by.resource(CertificateSigningRequest).create({
        metadata: { name },
        spec: {
          request: Buffer.from(newCertificateRequest(shape).pem).toString("base64"),
          signerName: clientSigner,
          usages,
          ...spec,
        },
      }),
    async approve(name: string): Promise<void> {
      const request = await requests.get(name);
      const conditions = [{ type: "Approved", status: "True", reason: "Test" } as const];
      await requests.subresource("approval").update({ ...request, status: { conditions } });
      await clock.pass(100);
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

describe("certificate requests", () => {
  test("of kubelets are approved and signed if their user may have them", async () => {
    await using cluster = await signingCluster("RBAC");
    const { client, clock, requests, create, as } = cluster;
    const resources = ["certificatesigningrequests", "certificatesigningrequests/selfnodeclient"];
    const rules = [{ apiGroups: ["certificates.k8s.io"], resources, verbs: ["create"] }];
    await client.resource(ClusterRole).create({ metadata: { name: "nodes" }, rules });
    await client.resource(ClusterRoleBinding).create({
      metadata: { name: "nodes" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "nodes" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:nodes" }],
    });
    const node = as("system:node:a", ["system:nodes"]);
    await create("own", kubelet, { signerName: kubeletSigner }, node);
    await create("other", { ...kubelet, commonName: "system:node:b" }, { signerName: kubeletSigner }, node);
    await clock.pass(1_000);
    const { status } = await requests.get("own");
    expect(status?.conditions).toMatchObject([
      {
        type: "Approved",
        reason: "AutoApproved",
        message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
      },
    ]);
    const certificate = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
    expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:a");
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.verify(new X509Certificate(cluster.server.authority().certificate).publicKey)).toBe(true);
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(365 * 86_400_000);
    expect((await requests.get("other")).status?.conditions).toBeUndefined();
  });

  test("with a forged signature or a weak key are refused", async () => {
    await using cluster = await signingCluster();
    const { create } = cluster;
    await expect(create("forged", { commonName: "a", forged: true }, {})).rejects.toThrow(
      "x509: ECDSA verification failure",
    );
    await expect(create("rsa", { commonName: "a", key: "rsa", forged: true }, {})).rejects.toThrow(
      "crypto/rsa: verification error",
    );
    await expect(create("weak", { commonName: "a", key: "weak" }, {})).rejects.toThrow(
      "crypto/rsa: 512-bit keys are insecure",
    );
  });

  test("for administrators are refused, and so are approvals and signatures by users who may not", async () => {
    await using cluster = await signingCluster("RBAC");
    const { client, create, requests, as, clock } = cluster;
    const masters = { commonName: "a", organizations: ["system:masters"] };
    await expect(create("masters", masters, {})).rejects.toThrow(
      "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed",
    );
    const resources = ["certificatesigningrequests/approval", "certificatesigningrequests/status"];
    const rules = [{ apiGroups: ["certificates.k8s.io"], resources, verbs: ["update"] }];
    await client.resource(ClusterRole).create({ metadata: { name: "half" }, rules });
    await client.resource(ClusterRoleBinding).create({
      metadata: { name: "half" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "half" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
    });
    await create("plain", { commonName: "a" }, {});
    await clock.pass(100);
    const request = await requests.get("plain");
    const jane = as("jane").resource(CertificateSigningRequest);
    const approved = { conditions: [{ type: "Approved", status: "True", reason: "Test" } as const] };
    await expect(jane.subresource("approval").update({ ...request, status: approved })).rejects.toThrow(
      'user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
    );
    const failed = { conditions: [{ type: "Failed", status: "True", reason: "Test" } as const] };
    await expect(jane.status.update({ ...request, status: failed })).rejects.toThrow(
      'user not permitted to sign requests with signerName "kubernetes.io/kube-apiserver-client"',
    );
  });

  test("are deleted in time", async () => {
    await using cluster = await signingCluster();
    const { requests, create, approve, clock } = cluster;
    await create("signed", { commonName: "a" }, { expirationSeconds: 600 });
    await create("waiting", { commonName: "a" }, {});
    await approve("signed");
    await clock.pass(2 * 3_600_000);
    expect((await requests.list()).items.map(({ metadata }) => metadata.name)).toEqual(["waiting"]);
    await clock.pass(24 * 3_600_000);
    expect((await requests.list()).items).toEqual([]);
  });
});

test("bootstrap tokens sign the cluster's description, and are deleted at their end", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["bootstrapsigner", "tokencleaner"] });
  const { client, clock } = cluster;
  const infos = await createSigningToken(client, { expiration: formatTime(clock.now() + 3_600_000) });
  await clock.pass(1_000);
  const { data = {} } = await infos.get("cluster-info");
  expect(data["jws-kubeconfig-abcdef"]).toMatch(/^eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9\.\.[\w-]{43}$/);
  await clock.pass(3_600_000);
  await clock.pass(1_000);
  expect(Object.keys((await infos.get("cluster-info")).data ?? {})).toEqual(["kubeconfig"]);
  expect((await client.resource(Secret, { namespace: "kube-system" }).list()).items).toEqual([]);
});
