/** Runs the real command-line clients against the embedded server; gives their output. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { Lifetime } from "../../src/base/index.js";
import { envtestAssets } from "../../src/testing/envtest.js";

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface ClientTools extends AsyncDisposable {
  /** Runs a program of the real Kubernetes release with the server's kubeconfig; `input` becomes its standard input. */
  run(program: "kubectl" | "helm", args: readonly string[], input?: unknown): Promise<Outcome>;
  /** All that kubectl printed for a line of arguments; rejects if kubectl failed. */
  kubectl(line: string): Promise<string>;
  /** A file of the test, for programs that want one; gives its path. */
  file(name: string, content: string): Promise<string>;
}

/** With a server of its own if none is given. */
export async function startClientTools(given?: ApiServer): Promise<ClientTools> {
  const lifetime = new Lifetime();
  const directory = await mkdtemp(join(tmpdir(), "coxswain-clients-"));
  lifetime.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const server = given ?? lifetime.use(await startApiServer());
  const listener = lifetime.use(await server.listen());
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, listener.kubeconfig, { mode: 0o600 });
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    HOME: directory,
    HELM_CACHE_HOME: directory,
    HELM_CONFIG_HOME: directory,
  };
  const run: ClientTools["run"] = (program, args, input) =>
    new Promise((resolve) => {
      const path = join(envtestAssets() as string, program);
      const child = execFile(path, args, { env, cwd: directory }, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ code, out, err });
      });
      child.stdin?.end(input === undefined ? undefined : typeof input === "string" ? input : JSON.stringify(input));
    });
  return {
    run,
    async kubectl(line) {
      const { code, out, err } = await run("kubectl", line.split(" "));
      if (code !== 0) throw new Error(`kubectl ${line}: ${err}`);
      return out + err;
    },
    async file(name, content) {
      const path = join(directory, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content, { mode: 0o600 });
      return path;
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
