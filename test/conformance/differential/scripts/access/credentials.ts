/** Scripts about credentials: requests for certificates, tokens of service accounts, reviews. */
import { inNamespace, object, Script, table } from "../../script.js";

const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVk1IMENBUUF3R3pFWk1CY0dBMVVFQXd3UVkyOTRjM2RoYVc0dVpYaGhiWEJzWlRCWk1CTUdCeXFHU000OQpBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJHeURzcFNBT1ZRUDJQc1RKRlJtSzkxTGNQRnJoa0ZQZzVGZkRRWmNWKzZrCnl4UCtkSjVNQWhPY3g3MEp6eGZEM1FNMFBWV3JZQWhZWjJPbUZVeVNzb3VnQURBS0JnZ3Foa2pPUFFRREFnTkkKQURCRkFpRUFpQk1YSUJjQTgvT3hNckVWTjhHUm1WSE0wU1gwRGdqeVBqRFF6SkNpQWZnQ0lDaDNjK3ZJVkhRUwpMR1o5NnN6Mmp0S3Q5SUhRT1JGTVF1Mk1ZcFByQ2RBZgotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

/** Of the group system:masters. */
const administrators =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZ01JR0hBZ0VBTUNVeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVFvd0NBWURWUVFEREFGNApNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUU3bE5BNXovQndjYlE3TVhrY0NRVDR3T1JiM3RiCndtY0ZjdHV5OTdaeVg2YjFSdlovRTVQa0h2NXBrMEx2Skd2aENKcXhlT3Fwemg3VGNvNnFGdytxV0tBQU1Bb0cKQ0NxR1NNNDlCQU1DQTBnQU1FVUNJUUNKRjB0TDlxUkRQVmQ3c2toRDZUdHJqY3ZBaGlzM1hvbklzZm9PbnNMdwprUUlnRE16T0NuZ1JpdFdMT1Y5N29pUnh5cGY5dTNwTmdnOFVVbjFDNXV4bU50VT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";

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
    { audiences: [""] },
    { expirationSeconds: 600 },
    { expirationSeconds: -1 },
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "q" } },
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "q", uid: "00000000-0000-4000-8000-000000000000" } },
    { boundObjectRef: { kind: "Pod", apiVersion: "v2", name: "p" } },
    { boundObjectRef: { kind: "Pod", apiVersion: "apps/v1", name: "p" } },
    { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "" } },
    { boundObjectRef: { kind: "constructor", apiVersion: "v1", name: "p" } },
    { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "missing" } },
    { boundObjectRef: {} },
  ]) {
    s.post(path, token(spec));
  }
  s.post(path, { ...token({}), metadata: { namespace: "other" } })
    .post("/api/v1/namespaces/diff-none/serviceaccounts/sa/token", token({}))
    .post(`${core}/serviceaccounts/missing/token`, token({}));
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
