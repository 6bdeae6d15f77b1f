import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "../../src/apiserver/index.js";
import { Lifetime } from "../../src/base/index.js";
import { Client, connect } from "../../src/client/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { clientCases } from "./client-cases.js";

const absent = hasRealCluster() ? undefined : "KUBEBUILDER_ASSETS does not lead to a kube-apiserver";

clientCases("a real kube-apiserver over HTTP/2", {
  absent,
  async start() {
    const { kubeconfig } = await realCluster();
    return {
      connect: (options) => connect({ kubeconfig, ...options }),
      async [Symbol.asyncDispose]() {},
    };
  },
});

clientCases("a real kube-apiserver over HTTP/1.1", {
  absent,
  async start() {
    const { kubeconfig } = await realCluster();
    return {
      connect: (options) => connect({ kubeconfig, http1: true, ...options }),
      async [Symbol.asyncDispose]() {},
    };
  },
});

clientCases("the embedded server in this process", {
  async start() {
    const server = await startApiServer({ freeze: true });
    return {
      connect: async (options) => new Client({ transport: server.transport(), ...options }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
});

clientCases("the embedded server over HTTPS", {
  async start() {
    const lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-client-"));
    lifetime.defer(() => rm(folder, { recursive: true, force: true }));
    const server = lifetime.use(await startApiServer({ freeze: true }));
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, (await server.listen()).kubeconfig);
    return {
      connect: (options) => connect({ kubeconfig, ...options }),
      [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
    };
  },
});
