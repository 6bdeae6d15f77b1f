/** An operator that `coxswain manifests` installs, run as its Deployment runs it: with its arguments and exactly its rights. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type Client,
  type KubeObject,
  type Manager,
  managerOptionsFrom,
  type ManagerOptions,
  parseFlags,
} from "coxswain";
import { Deployment } from "coxswain/api";
import { silentLogger } from "coxswain/base";
import { expect, onTestFinished } from "vitest";
import { connectAs, embeddedTls, mountedAccount, realTls, type TlsServer } from "../../examples/testing/account.js";
import { keep } from "../../examples/testing/servers.js";
import { yamlToJson } from "../../src/api/yaml/index.js";
import { runCommandLine } from "../../src/cli/program.js";
import { envtestAssets } from "../../src/testing/envtest.js";

export const fileOf = (name: string): string => new URL(`./${name}.ts`, import.meta.url).pathname;

export async function manifests(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: "", err: "" };
  const code = await runCommandLine(["manifests", ...args], {
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
  });
  return { code, ...printed };
}

export function objectsIn(yaml: string): readonly KubeObject[] {
  return yaml.split(/^---$/m).map((text) => JSON.parse(yamlToJson(text).json) as KubeObject);
}

export async function objectsOf(file: string, ...args: readonly string[]): Promise<readonly KubeObject[]> {
  const { code, out, err } = await manifests(fileOf(file), "--name", "gauge", ...args);
  expect([code, err]).toEqual([0, ""]);
  return objectsIn(out);
}

export const title = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-manifests-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const servers = [
  { where: "the embedded server", open: embeddedTls },
  { where: "a real server", open: realTls },
] as const;

export type Tool = (program: "kubectl" | "helm", ...args: readonly string[]) => Promise<string>;

export async function toolOn({ kubeconfig }: TlsServer): Promise<Tool> {
  const home = await temporaryFolder();
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home };
  return async (program, ...args) =>
    (await promisify(execFile)(join(envtestAssets() ?? "", program), args, { env })).stdout;
}

interface Installed {
  readonly name: string;
  readonly namespace: string;
  readonly make: (options: ManagerOptions) => Manager;
  /** The webhooks listen on any free port of loopback, unless the pod is really to be reached. */
  readonly listens?: { readonly host?: string; readonly port?: number };
}

/** The manager as the Deployment's program makes it, with the rights of its pods. */
export async function runAsInstalled(
  server: TlsServer,
  { name, namespace, make, listens = { host: "127.0.0.1", port: 0 } }: Installed,
): Promise<{ readonly manager: Manager; readonly client: Client }> {
  const deployment = await server.admin.resource(Deployment, { namespace }).get(name);
  const { args = [] } = deployment.spec?.template.spec?.containers[0] ?? {};
  const client = await connectAs(await mountedAccount(server, { name, namespace }));
  const { http: _, webhooks, ...options } = managerOptionsFrom(parseFlags(args), { name, client, log: silentLogger });
  const manager = make({ ...options, ...(webhooks && { webhooks: { ...webhooks, ...listens } }) });
  keep(manager.start());
  return { manager, client };
}

/** Installs, and gives a function that uninstalls. */
export type Install = (
  tool: Tool,
  place: { name: string; namespace: string; file: string },
) => Promise<() => Promise<unknown>>;

export const ways: Readonly<Record<string, Install>> = {
  async "kubectl apply -f"(tool, { name, namespace, file }) {
    const path = join(await temporaryFolder(), "install.yaml");
    expect((await manifests(file, "--name", name, "--namespace", namespace, "--out", path)).err).toBe("");
    await tool("kubectl", "apply", "-f", path);
    return () => tool("kubectl", "delete", "-f", path, "--wait=false");
  },
  async "kubectl apply -k"(tool, { name, namespace, file }) {
    const out = await temporaryFolder();
    const form = ["--format", "kustomize", "--out", out, "--namespace", namespace];
    expect((await manifests(file, "--name", name, ...form)).err).toBe("");
    await tool("kubectl", "apply", "-k", out);
    return () => tool("kubectl", "delete", "-k", out, "--wait=false");
  },
  async "helm install"(tool, { name, namespace, file }) {
    const out = await temporaryFolder();
    expect((await manifests(file, "--name", name, "--format", "helm", "--out", out)).err).toBe("");
    await tool("helm", "lint", "--strict", out);
    const release = [name, out, "--namespace", namespace];
    await tool("helm", "install", ...release, "--create-namespace", "--set", "replicas=3,args={-v=4}");
    await tool("helm", "upgrade", ...release);
    return async () => {
      await tool("helm", "uninstall", name, "--namespace", namespace);
      return await tool("kubectl", "delete", "crd", "gauges.manifests.example.com", "--wait=false");
    };
  },
};
