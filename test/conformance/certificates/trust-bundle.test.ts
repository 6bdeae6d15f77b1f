/**
 * The ClusterTrustBundle of the API server's signer, with our publisher and with the real one, on real servers whose
 * feature gate is open.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ClusterTrustBundle } from "../../../src/api/index.js";
import { createAuthority } from "../../../src/base/x509/certificate.js";
import { Lifetime, startRunning, systemClock } from "../../../src/base/index.js";
import { runControllers, trustBundles } from "../../../src/builtin/index.js";
import { connect } from "../../../src/client/index.js";
import { envtestAssets, startEnvtest } from "../../../src/testing/envtest.js";
import { startGuarded } from "../../../src/testing/guarded-process.js";
import { eventually } from "../../eventually.js";

const assets = envtestAssets();
const full = process.env["COXSWAIN_FULL"] === "1";
const gate = "--feature-gates=ClusterTrustBundle=true";
const signerName = "kubernetes.io/kube-apiserver-serving";

/** Publishes beside a bundle of an authority of the past; gives the bundles at the end. */
async function published(whose: "ours" | "theirs", ca: string): Promise<unknown> {
  await using lifetime = new Lifetime();
  const flags = [gate, "--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true"];
  const { kubeconfig, directory } = lifetime.use(await startEnvtest({ assets: assets ?? "", flags }));
  const client = lifetime.use(await connect({ kubeconfig }));
  const bundles = client.resource(ClusterTrustBundle);
  const past = authority("past");
  await bundles.create({
    metadata: { name: `${signerName.replaceAll("/", ":")}:past` },
    spec: { signerName, trustBundle: past },
  });
  await bundles.create({ metadata: { name: "of-nobody" }, spec: { trustBundle: past } });
  if (whose === "ours") {
    const run = (signal: AbortSignal) =>
      runControllers({ client, controllers: [trustBundles], credentials: { ca }, signal });
    lifetime.use(startRunning(run));
  } else {
    const file = join(directory, "root.crt");
    await writeFile(file, ca);
    const same = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
    lifetime.use(
      startGuarded(join(assets ?? "", "kube-controller-manager"), {
        args: [
          ...same.map((flag) => `--${flag}=${kubeconfig}`),
          "--leader-elect=false",
          "--secure-port=0",
          `--cert-dir=${directory}`,
          `--root-ca-file=${file}`,
          gate,
        ],
        logFile: join(directory, "kube-controller-manager.log"),
      }),
    );
  }
  const list = async () => (await bundles.list()).items.map(({ metadata: { name }, spec }) => ({ name, spec }));
  const isDone = async (): Promise<boolean> => {
    const all = await list();
    return all.length === 2 && all.some(({ spec }) => spec.trustBundle === ca);
  };
  await eventually("the bundle is published, and the old one is gone", isDone, 240_000);
  return (await list()).map(({ name, spec }) => ({ name, spec: { ...spec, trustBundle: spec.trustBundle === ca } }));
}

const authority = (name: string): string => createAuthority({ commonName: name, now: systemClock.now() }).certificate;

describe.skipIf(assets === undefined || !full)(
  "trust bundles beside the real ones (skipped where KUBEBUILDER_ASSETS is not set, and but for the full run)",
  () => {
    test("the authority of the server is published under the same name", { timeout: 900_000 }, async () => {
      const ca = authority("today");
      expect(await published("ours", ca)).toEqual(await published("theirs", ca));
    });
  },
);
