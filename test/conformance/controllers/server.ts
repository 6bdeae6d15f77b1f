/** The API server of one side: a real kube-apiserver, or ours, as files with which a controller manager is started. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lifetime } from "../../../src/base/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { startEnvtest } from "../../../src/testing/envtest.js";

export interface ServerFiles extends AsyncDisposable {
  readonly kubeconfig: string;
  /** PEM of the key that signs service accounts' tokens. */
  readonly tokenKey: string;
  /** The authority of the server's certificate, in PEM. */
  readonly ca: string;
  /** A folder for the files of the server's users. */
  readonly directory: string;
}

export async function realServer(assets: string, disableAdmission: readonly string[] = []): Promise<ServerFiles> {
  const cluster = await startEnvtest({ assets, disableAdmission });
  const { kubeconfig, directory } = cluster;
  return {
    kubeconfig,
    directory,
    tokenKey: join(directory, "sa.key"),
    ca: join(directory, "apiserver.crt"),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

export async function embeddedServer(): Promise<ServerFiles> {
  const lifetime = new Lifetime();
  const server = lifetime.use(await startTestServer({ serviceNetwork: { cidr: "10.0.0.0/16" } }));
  const listener = lifetime.use(await server.listen());
  const directory = await mkdtemp(join(tmpdir(), "coxswain-side-"));
  lifetime.defer(() => rm(directory, { recursive: true, force: true }));
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  return {
    kubeconfig: await write("kubeconfig", listener.kubeconfig),
    tokenKey: await write("sa.key", server.tokenKey()),
    ca: await write("ca.crt", listener.authority ?? ""),
    directory,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
