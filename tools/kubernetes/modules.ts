/** Finds the published Kubernetes Go modules, through the ordinary go client, for the generators that read facts from them. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The release of Kubernetes that the tables describe. */
const kubernetesVersion = "1.36.3";

const modules = {
  kubernetes: `k8s.io/kubernetes@v${kubernetesVersion}`,
  api: `k8s.io/api@v0.${kubernetesVersion.slice(2)}`,
  apimachinery: `k8s.io/apimachinery@v0.${kubernetesVersion.slice(2)}`,
  apiextensions: `k8s.io/apiextensions-apiserver@v0.${kubernetesVersion.slice(2)}`,
  aggregator: `k8s.io/kube-aggregator@v0.${kubernetesVersion.slice(2)}`,
} as const;

/** As the go client names them, with their versions. */
export const moduleNames: readonly string[] = Object.values(modules);

type ModuleName = keyof typeof modules;

/** The folder of each module on this machine. */
export type ModuleFolders = Readonly<Record<ModuleName, string>>;

/** The go client, or the network behind it, is missing: the facts cannot be read on this machine. */
export class SourcesUnavailable extends Error {
  override readonly name = "SourcesUnavailable";
}

export async function moduleFolders(): Promise<ModuleFolders> {
  const names = Object.keys(modules) as ModuleName[];
  const folders = await Promise.all(names.map(async (name) => [name, await download(modules[name])] as const));
  return Object.fromEntries(folders) as Record<ModuleName, string>;
}

async function download(module: string): Promise<string> {
  try {
    const run = promisify(execFile);
    // outside the repository, so that no go.mod here applies
    const { stdout } = await run("go", ["mod", "download", "-json", module], { cwd: tmpdir() });
    return (JSON.parse(stdout) as { Dir: string }).Dir;
  } catch (cause) {
    throw new SourcesUnavailable(`go mod download ${module} failed`, { cause });
  }
}

export async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, "utf8")) as T;
}

/** The files of a folder that a test accepts, in a stable order. */
export async function filesOf(folder: string, wanted: (name: string) => boolean): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names
    .filter(wanted)
    .sort()
    .map((name) => join(folder, name));
}
