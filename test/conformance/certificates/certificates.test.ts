/**
 * The same certificate requests with our controllers and with the real kube-controller-manager, on the embedded server:
 * the same approvals, failures and certificates.
 */
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CertificateSigningRequest, type ConfigMap } from "../../../src/api/index.js";
import { Lifetime, startRunning, systemClock } from "../../../src/base/index.js";
import { builtInControllers, runControllers, selectControllers } from "../../../src/builtin/index.js";
import { Client, connect } from "../../../src/client/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { envtestAssets, startEnvtest } from "../../../src/testing/envtest.js";
import { startGuarded } from "../../../src/testing/guarded-process.js";
import { createSigningToken } from "../../fixtures/bootstrap-token.js";
import { newCertificateRequest, type RequestShape } from "../../fixtures/certificate-request.js";

const assets = envtestAssets();
const full = process.env["COXSWAIN_FULL"] === "1";

type Spec = Partial<CertificateSigningRequest["spec"]>;

const clientSigner = "kubernetes.io/kube-apiserver-client";
const kubeletClient = "kubernetes.io/kube-apiserver-client-kubelet";
const kubeletServing = "kubernetes.io/kubelet-serving";
const node: RequestShape = { commonName: "system:node:a", organizations: ["system:nodes"] };
const clientUsages = ["digital signature", "client auth"] as const;
const serverUsages = ["digital signature", "key encipherment", "server auth"] as const;

/** A request, and whether a person approves it. */
const cases: Readonly<Record<string, readonly [RequestShape, Spec, boolean]>> = {
  client: [{ commonName: "jane", organizations: ["a", "b"] }, { signerName: clientSigner, usages: clientUsages }, true],
  "client-rsa": [{ commonName: "jane", key: "rsa" }, { signerName: clientSigner, usages: ["client auth"] }, true],
  "client-named": [
    { commonName: "jane", dnsNames: ["a.b"], addresses: ["10.0.0.1"], emails: ["a@b.c"] },
    { signerName: clientSigner, usages: clientUsages },
    true,
  ],
  "client-short": [
    { commonName: "jane" },
    { signerName: clientSigner, usages: clientUsages, expirationSeconds: 3_600 },
    true,
  ],
  "client-day": [
    { commonName: "jane" },
    { signerName: clientSigner, usages: clientUsages, expirationSeconds: 86_400 },
    true,
  ],
  "client-waiting": [{ commonName: "jane" }, { signerName: clientSigner, usages: clientUsages }, false],
  "client-server": [{ commonName: "jane" }, { signerName: clientSigner, usages: serverUsages }, true],
  "client-no-auth": [{ commonName: "jane" }, { signerName: clientSigner, usages: ["digital signature"] }, true],
  "kubelet-auto": [node, { signerName: kubeletClient, usages: clientUsages }, false],
  "kubelet-other": [{ commonName: "jane" }, { signerName: kubeletClient, usages: clientUsages }, true],
  "kubelet-dns": [{ ...node, dnsNames: ["a"] }, { signerName: kubeletClient, usages: clientUsages }, true],
  "kubelet-usages": [node, { signerName: kubeletClient, usages: serverUsages }, true],
  serving: [
    { ...node, dnsNames: ["a"], addresses: ["10.0.0.1"] },
    { signerName: kubeletServing, usages: serverUsages },
    true,
  ],
  "serving-nameless": [node, { signerName: kubeletServing, usages: serverUsages }, true],
  "serving-email": [
    { ...node, dnsNames: ["a"], emails: ["a@b"] },
    { signerName: kubeletServing, usages: serverUsages },
    true,
  ],
  foreign: [{ commonName: "jane" }, { signerName: "example.com/signer", usages: clientUsages }, true],
};

const made = new Map(Object.entries(cases).map(([name, [shape]]) => [name, newCertificateRequest(shape).pem]));
const controllers = ["csrapproving", "csrsigning", "bootstrapsigner"];

async function play(who: "ours" | "real"): Promise<Readonly<Record<string, unknown>>> {
  await using lifetime = new Lifetime();
  const server = lifetime.use(await startTestServer());
  const client = lifetime.use(new Client({ transport: server.transport() }));
  const signer = server.authority();
  if (who === "ours") {
    const chosen = selectControllers(controllers, builtInControllers);
    const credentials = { signer };
    lifetime.use(startRunning((signal) => runControllers({ client, controllers: chosen, credentials, signal })));
  } else {
    const directory = await mkdtemp(join(tmpdir(), "coxswain-signing-"));
    lifetime.defer(() => rm(directory, { recursive: true, force: true }));
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(join(directory, name), text, { mode: 0o600 });
      return join(directory, name);
    };
    const kubeconfig = await file("kubeconfig", lifetime.use(await server.listen()).kubeconfig);
    const args = [
      ...["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map(
        (flag) => `--${flag}=${kubeconfig}`,
      ),
      "--leader-elect=false",
      "--secure-port=0",
      `--cert-dir=${directory}`,
      `--controllers=${controllers.join(",")}`,
      `--cluster-signing-cert-file=${await file("ca.crt", signer.certificate)}`,
      `--cluster-signing-key-file=${await file("ca.key", signer.key)}`,
    ];
    const logFile = join(directory, "kube-controller-manager.log");
    lifetime.use(startGuarded(join(assets ?? "", "kube-controller-manager"), { args, logFile }));
  }
  const requests = client.resource(CertificateSigningRequest);
  for (const [name, [, spec, approved]] of Object.entries(cases)) {
    const request = Buffer.from(made.get(name) ?? "").toString("base64");
    const created = await requests.create({ metadata: { name }, spec: { signerName: "", ...spec, request } });
    const conditions = [{ type: "Approved", status: "True", reason: "ByHand" } as const];
    if (approved) await requests.subresource("approval").update({ ...created, status: { conditions } });
  }
  const signature = await signedInfo(client);
  // the last request that gets an answer, and time for answers that should not come
  for (const name of ["serving", "kubelet-auto", "client"]) {
    await requests.waitFor(name, (one) => one?.status?.certificate !== undefined, { timeoutMs: 120_000 });
  }
  await systemClock.sleep(3_000, new AbortController().signal);
  const { items } = await requests.list();
  return { ...Object.fromEntries(items.map((one) => [one.metadata.name, answerOf(one)])), signature };
}

async function signedInfo(client: Client): Promise<unknown> {
  const infos = await createSigningToken(client);
  const { data } = (await infos.waitFor("cluster-info", (one) => Object.keys(one?.data ?? {}).length > 1, {
    timeoutMs: 120_000,
  })) as ConfigMap;
  return data;
}

function answerOf({ status }: CertificateSigningRequest): unknown {
  const conditions = status?.conditions?.map(({ type, status: value, reason, message }) => ({
    type,
    value,
    reason,
    message,
  }));
  if (!status?.certificate) return { conditions };
  const issued = new X509Certificate(Buffer.from(status.certificate, "base64"));
  const { subject, subjectAltName, keyUsage, ca, issuer, validFrom, validTo } = issued;
  const minutes = Math.round((Date.parse(validTo) - Date.parse(validFrom)) / 60_000);
  const extensions = issued.toLegacyObject().ext_key_usage;
  return { conditions, subject: subject.split(/ \+ |\n/), subjectAltName, keyUsage, ca, issuer, minutes, extensions };
}

/** The answers of a server to requests that nobody should sign, without the request itself. */
async function refusals(client: Client): Promise<readonly string[]> {
  const shapes: readonly RequestShape[] = [
    { commonName: "a", forged: true },
    { commonName: "a", key: "rsa", forged: true },
    { commonName: "a", key: "weak" },
  ];
  const texts = [...shapes.map((shape) => newCertificateRequest(shape).pem), "no request"];
  const spec = { signerName: clientSigner, usages: clientUsages };
  return Promise.all(
    texts.map(async (text) => {
      const request = Buffer.from(text).toString("base64");
      const asked = client
        .resource(CertificateSigningRequest)
        .create({ metadata: { name: "bad" }, spec: { ...spec, request } });
      const answer = await asked.then(
        () => "accepted",
        (error: unknown) => String(error),
      );
      return answer.replace(/Invalid value: .*?(?=x509|crypto|PEM|asn1)/s, "");
    }),
  );
}

describe.skipIf(assets === undefined || !full)(
  "certificates beside the real controllers (skipped where KUBEBUILDER_ASSETS is not set, and but for the full run)",
  () => {
    test(`${Object.keys(cases).length} requests, and the signature of a bootstrap token`, {
      timeout: 600_000,
    }, async () => {
      const [ours, real] = [await play("ours"), await play("real")];
      expect(ours).toEqual(real);
    });

    test("forged, weak and senseless requests are refused in the real server's words", {
      timeout: 600_000,
    }, async () => {
      await using lifetime = new Lifetime();
      const server = lifetime.use(await startTestServer());
      const real = lifetime.use(await startEnvtest({ assets: assets ?? "" }));
      const ours = lifetime.use(new Client({ transport: server.transport() }));
      const theirs = lifetime.use(await connect({ kubeconfig: real.kubeconfig }));
      const answers = await refusals(ours);
      expect(answers).not.toContain("accepted");
      expect(answers).toEqual(await refusals(theirs));
    });
  },
);
