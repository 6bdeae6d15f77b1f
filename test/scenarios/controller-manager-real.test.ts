/** `coxswain controller-manager` alone, as its users start it, on a real kube-apiserver. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Deployment, Lease, Pod, ReplicaSet, Secret, ServiceAccount, TokenReview } from "../../src/api/index.js";
import { Lifetime } from "../../src/base/index.js";
import { runCommandLine } from "../../src/cli/program.js";
import { connect } from "../../src/client/index.js";
import { type Envtest, envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { patienceMs } from "../eventually.js";

const assets = envtestAssets() ?? "";
const namespace = "default";
const wait = { timeoutMs: patienceMs };

interface Started {
  printed(): string;
  /** As Ctrl-C does; gives the exit code. */
  stop(): Promise<number>;
}

function startManager({ kubeconfig, directory }: Envtest, lifetime: Lifetime): Started {
  const stop = new AbortController();
  let printed = "";
  const print = (text: string): void => {
    printed += text;
  };
  const files = [
    `--service-account-private-key-file=${join(directory, "sa.key")}`,
    `--root-ca-file=${join(directory, "apiserver.crt")}`,
  ];
  const done = runCommandLine(["controller-manager", "--kubeconfig", kubeconfig, ...files], {
    out: print,
    err: print,
    stopSignal: () => ({ signal: stop.signal, [Symbol.dispose]: () => {} }),
  });
  const end = (): Promise<number> => {
    stop.abort(new Error("stopped"));
    return done;
  };
  lifetime.defer(end);
  return { printed: () => printed, stop: end };
}

describe.skipIf(assets === "")("coxswain controller-manager (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  test("leads, makes a Deployment's ReplicaSet and pods and a Secret's token, and hands over when it is stopped", async () => {
    await using cluster = await startEnvtest({ assets, disableAdmission: [] });
    await using lifetime = new Lifetime();
    const client = lifetime.use(await connect({ kubeconfig: cluster.kubeconfig }));
    const first = startManager(cluster, lifetime);
    const leases = client.resource(Lease, { namespace: "kube-system" });
    const leader = async (isKnown: (holder: string) => boolean): Promise<string> => {
      const holder = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? "";
      return holder(await leases.waitFor("kube-controller-manager", (lease) => isKnown(holder(lease)), wait));
    };
    const firstLeader = await leader((holder) => holder !== "");
    const second = startManager(cluster, lifetime);

    await client.resource(ServiceAccount, { namespace }).waitFor("default", (account) => account !== undefined, wait);
    const deployments = client.resource(Deployment, { namespace });
    const labels = { app: "web" };
    const spec = { containers: [{ name: "c", image: "nginx" }] };
    await deployments.create({
      metadata: { name: "web" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    await deployments.waitFor("web", (one) => one?.status?.updatedReplicas === 2, wait);
    const sets = (await client.resource(ReplicaSet, { namespace }).list()).items;
    const pods = (await client.resource(Pod, { namespace }).list()).items;
    expect(sets.map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(["web"]);
    expect(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual([
      sets[0]?.metadata.uid,
      sets[0]?.metadata.uid,
    ]);

    const annotations = { "kubernetes.io/service-account.name": "default" };
    const secrets = client.resource(Secret, { namespace });
    await secrets.create({ metadata: { name: "token", annotations }, type: "kubernetes.io/service-account-token" });
    const filled = await secrets.waitFor("token", (secret) => secret?.data?.["token"] !== undefined, wait);
    expect(atob(filled?.data?.["namespace"] ?? "")).toBe(namespace);
    expect(atob(filled?.data?.["ca.crt"] ?? "")).toBe(cluster.ca);
    const tokenSpec = { token: atob(filled?.data?.["token"] ?? "") };
    // the server believes a token when its own caches know the account and the Secret
    await expect
      .poll(async () => (await client.resource(TokenReview).create({ metadata: {}, spec: tokenSpec })).status, {
        timeout: wait.timeoutMs,
      })
      .toMatchObject({ authenticated: true, user: { username: "system:serviceaccount:default:default" } });

    await expect.poll(() => second.printed(), { timeout: patienceMs }).toContain(`waiting: ${firstLeader} leads`);
    expect(await first.stop()).toBe(0);
    await leader((holder) => holder !== "" && holder !== firstLeader);
    await deployments.patch("web", { merge: { spec: { replicas: 3 } } });
    await deployments.waitFor("web", (one) => one?.status?.replicas === 3, wait);
    expect(await second.stop()).toBe(0);
  }, 300_000);
});
