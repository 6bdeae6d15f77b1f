import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "../../src/apiserver/index.js";
import { Lifetime } from "../../src/base/index.js";
import { Client, connect } from "../../src/client/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { informerCases } from "./informer-cases.js";

informerCases("a real kube-apiserver", {
  absent: hasRealCluster() ? undefined : "KUBEBUILDER_ASSETS does not lead to a kube-apiserver",
  async start() {
    const { kubeconfig } = await realCluster();
    return { connect: () => connect({ kubeconfig }), async [Symbol.asyncDispose]() {} };
  },
});

informerCases("the embedded server in this process", {
  async start() {
    const server = await startApiServer({ freeze: true });
    return {
      connect: async () => new Client({ transport: server.transport() }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
});

informerCases("the embedded server over HTTPS", {
  async start() {
    const lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-informer-"));
    lifetime.defer(() => rm(folder, { recursive: true, force: true }));
    const server = lifetime.use(await startApiServer({ freeze: true }));
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, (await server.listen()).kubeconfig);
    return { connect: () => connect({ kubeconfig }), [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
  },
});
