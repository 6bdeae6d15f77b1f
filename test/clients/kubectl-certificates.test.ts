/** Real kubectl requests, approves and denies certificates; the issued ones authenticate. */
import { expect, test } from "vitest";
import { CertificateSigningRequest } from "../../src/api/index.js";
import { Lifetime, startRunning } from "../../src/base/index.js";
import { builtInControllers, runControllers } from "../../src/builtin/index.js";
import { Client } from "../../src/client/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { newCertificateRequest } from "../fixtures/certificate-request.js";
import { startClientTools } from "./client-tools.js";

test.skipIf(!hasRealCluster())("kubectl certificate (skipped where KUBEBUILDER_ASSETS is not set)", async () => {
  await using lifetime = new Lifetime();
  const server = lifetime.use(await startTestServer());
  const listener = lifetime.use(await server.listen());
  const client = lifetime.use(new Client({ transport: server.transport() }));
  const credentials = { signer: server.authority() };
  const controllers = builtInControllers.filter(({ name }) => name.startsWith("certificatesigningrequest-"));
  lifetime.use(startRunning((signal) => runControllers({ client, controllers, credentials, signal })));
  const { kubectl, file } = lifetime.use(await startClientTools(server));
  const requests = client.resource(CertificateSigningRequest);
  const ask = (name: string, usages: readonly ("client auth" | "server auth")[]) => {
    const made = newCertificateRequest({ commonName: name, organizations: ["sailors"] });
    const request = Buffer.from(made.pem).toString("base64");
    const spec = { request, signerName: "kubernetes.io/kube-apiserver-client", usages };
    return { made, created: requests.create({ metadata: { name }, spec }) };
  };
  const jane = ask("jane", ["client auth"]);
  await Promise.all([jane.created, ask("joe", ["client auth"]).created, ask("jim", ["server auth"]).created]);
  expect(await kubectl("get csr jane --no-headers")).toMatch(/kubernetes-admin +<none> +Pending\n$/);
  expect(await kubectl("certificate approve jane jim")).toContain(
    "certificatesigningrequest.certificates.k8s.io/jane approved\n",
  );
  expect(await kubectl("certificate deny joe")).toBe("certificatesigningrequest.certificates.k8s.io/joe denied\n");
  await requests.waitFor("jane", (one) => one?.status?.certificate !== undefined, { timeoutMs: 60_000 });
  await requests.waitFor("jim", (one) => (one?.status?.conditions?.length ?? 0) > 1, { timeoutMs: 60_000 });
  expect(await kubectl("get csr --no-headers --sort-by=.metadata.name")).toMatch(
    /^jane .* Approved,Issued\njim .* Approved,Failed\njoe .* Denied\n$/,
  );
  const { status } = await requests.get("jim");
  expect(status?.conditions?.[1]).toMatchObject({
    type: "Failed",
    reason: "SignerValidationFailure",
    message: "invalid usage for client certificate: server auth",
  });
  const issued = Buffer.from((await requests.get("jane")).status?.certificate ?? "", "base64").toString();
  const [certificate, key] = [await file("jane.crt", issued), await file("jane.key", jane.made.key)];
  const authority = await file("ca.crt", listener.authority ?? "");
  const janes = `--kubeconfig=/dev/null --server=${listener.url} --certificate-authority=${authority}`;
  const who = await kubectl(`${janes} --client-certificate=${certificate} --client-key=${key} auth whoami -o json`);
  expect(JSON.parse(who)).toMatchObject({
    status: { userInfo: { username: "jane", groups: ["sailors", "system:authenticated"] } },
  });
});
