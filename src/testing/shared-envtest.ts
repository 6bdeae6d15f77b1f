/**
 * One real kube-apiserver for a whole test run. The main process of the run serves it on a local socket and starts it
 * when the first test asks; `realCluster` asks from the worker processes.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Closable, Lifetime } from "../base/index.js";
import { type Envtest, type EnvtestAccess, envtestAssets, startEnvtest } from "./envtest.js";

const socketVariable = "COXSWAIN_ENVTEST_SOCKET";

/** For the test runner's global set-up: announces the shared server to the workers; disposing stops it if it runs. */
export async function shareEnvtest(): Promise<Closable> {
  const assets = envtestAssets();
  const lifetime = new Lifetime();
  if (assets === undefined) return lifetime;
  const directory = await mkdtemp(join(tmpdir(), "coxswain-run-"));
  lifetime.defer(() => rm(directory, { recursive: true, force: true }));
  let started: Promise<Envtest> | undefined;
  lifetime.defer(async () => {
    const running = await started?.catch(() => undefined);
    await running?.[Symbol.asyncDispose]();
  });
  /** A failed start fails all callers that waited for it; the next caller starts another. */
  const start = async (): Promise<Envtest> => {
    try {
      return await startEnvtest({ assets });
    } catch (error) {
      started = undefined;
      throw error;
    }
  };
  const server = createServer((connection) => {
    started ??= start();
    started.then(
      ({ url, token, powerlessToken, ca, kubeconfig, directory: files }) =>
        connection.end(JSON.stringify({ url, token, powerlessToken, ca, kubeconfig, directory: files })),
      (error: Error) => connection.end(JSON.stringify({ error: error.message })),
    );
    connection.on("error", () => connection.destroy());
  });
  const path = join(directory, "socket");
  server.listen(path);
  await once(server, "listening");
  lifetime.defer(() => server.close());
  process.env[socketVariable] = path;
  return lifetime;
}

/** Access to the test run's real kube-apiserver; starts it at the first call. Use namespaces and names of your own. */
export async function realCluster(): Promise<EnvtestAccess> {
  const path = process.env[socketVariable];
  if (path === undefined) throw new Error("no real cluster: KUBEBUILDER_ASSETS is not set, or the set-up did not run");
  const connection = connect(path);
  const chunks: Buffer[] = [];
  connection.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(connection, "end");
  connection.destroy();
  const answer = JSON.parse(Buffer.concat(chunks).toString()) as EnvtestAccess | { readonly error: string };
  if ("error" in answer) throw new Error(answer.error);
  return answer;
}

/** True if the real binaries are available; use `describe.skipIf(!hasRealCluster())`. */
export function hasRealCluster(): boolean {
  return envtestAssets() !== undefined;
}
