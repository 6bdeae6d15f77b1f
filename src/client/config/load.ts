/** Finds, reads and merges kubeconfig files. */
import { defined } from "../../base/defined.js";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { YamlError, yamlToJson } from "../../api/yaml/index.js";
import type { EnvironmentVariables } from "../transport/proxy-choice.js";
import { messageOf } from "../failure.js";
import { ConfigError } from "./config-error.js";
import {
  type ExecPlugin,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigUser,
  type KubeconfigEntry,
  parseKubeconfig,
} from "./kubeconfig.js";

/** The surroundings that are read; tests bring their own. */
export interface Surroundings {
  readonly env: EnvironmentVariables;
  readonly home: string;
  /** The folder of a pod's service account. */
  readonly serviceAccount: string;
}

export function systemSurroundings(): Surroundings {
  return { env: process.env, home: homedir(), serviceAccount: "/var/run/secrets/kubernetes.io/serviceaccount" };
}

export function defaultKubeconfigPath({ home }: Surroundings): string {
  return join(home, ".kube", "config");
}

/** The files of KUBECONFIG, each once, in order; undefined if it is not set. */
export function environmentPaths({ env }: Surroundings): readonly string[] | undefined {
  const value = env["KUBECONFIG"];
  if (!value) return undefined;
  return [...new Set(value.split(delimiter).filter((path) => path !== ""))];
}

/** One file, which must exist. */
export async function loadKubeconfig(path: string): Promise<Kubeconfig> {
  const file = resolve(path);
  return absolute(parseKubeconfig(await readDocument(file), file), dirname(file));
}

/** Several files as one. Missing files are skipped, but at least one must exist. */
export async function loadKubeconfigs(paths: readonly string[]): Promise<Kubeconfig> {
  const present = paths.filter((path) => existsSync(path));
  if (present.length === 0) throw new ConfigError({ file: paths.join(delimiter) }, "none of these files exists");
  const loaded = await Promise.allSettled(present.map(loadKubeconfig));
  const failures = loaded.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : []));
  const [first, ...others] = failures;
  if (first !== undefined && others.length === 0) throw first;
  if (first !== undefined) {
    throw new ConfigError({}, failures.map(messageOf).join("; "), { cause: new AggregateError(failures) });
  }
  return mergeKubeconfigs(loaded.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
}

/** For each name the first file wins entirely; fields of two files are never mixed. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const currentContext = configs.find((config) => config.currentContext !== undefined)?.currentContext;
  return {
    ...defined({ currentContext }),
    clusters: firstOfEachName(configs.flatMap((config) => config.clusters)),
    users: firstOfEachName(configs.flatMap((config) => config.users)),
    contexts: firstOfEachName(configs.flatMap((config) => config.contexts)),
  };
}

function firstOfEachName<T>(entries: readonly KubeconfigEntry<T>[]): readonly KubeconfigEntry<T>[] {
  const seen = new Set<string>();
  return entries.filter(({ name }) => !seen.has(name) && seen.add(name));
}

async function readDocument(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new ConfigError({ file }, `cannot be read: ${messageOf(error)}`, { cause: error });
  }
  try {
    // JSON is YAML, and faster to parse
    if (text.trimStart().startsWith("{")) return JSON.parse(text);
  } catch {
    // YAML's flow style also begins with a brace
  }
  try {
    return JSON.parse(yamlToJson(text).json);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // the parser's own message may quote the text, and with it a secret
    throw new ConfigError({ file }, `is not YAML${error.line === undefined ? "" : `: see line ${error.line}`}`);
  }
}

/** Paths in a kubeconfig are relative to the file that names them. */
function absolute(config: Kubeconfig, folder: string): Kubeconfig {
  return {
    ...config,
    clusters: config.clusters.map((entry) => ({ ...entry, value: absoluteCluster(entry.value, folder) })),
    users: config.users.map((entry) => ({ ...entry, value: absoluteUser(entry.value, folder) })),
  };
}

function absoluteCluster(cluster: KubeconfigCluster, folder: string): KubeconfigCluster {
  return { ...cluster, ...resolved(cluster, folder, ["certificateAuthority"]) };
}

function absoluteUser(user: KubeconfigUser, folder: string): KubeconfigUser {
  const { exec } = user;
  return {
    ...user,
    ...resolved(user, folder, ["tokenFile", "clientCertificate", "clientKey"]),
    ...(exec === undefined ? {} : { exec: absoluteExec(exec, folder) }),
  };
}

/** A bare command is looked up in PATH; one with a slash is a path. */
function absoluteExec(exec: ExecPlugin, folder: string): ExecPlugin {
  return exec.command.includes("/") ? { ...exec, ...resolved(exec, folder, ["command"]) } : exec;
}

function resolved<T extends object>(object: T, folder: string, keys: readonly (keyof T)[]): Partial<T> {
  const found: Partial<T> = {};
  for (const key of keys) {
    const path: unknown = object[key];
    if (typeof path === "string" && !isAbsolute(path)) found[key] = resolve(folder, path) as T[typeof key];
  }
  return found;
}
