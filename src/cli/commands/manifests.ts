/** `coxswain manifests FILE`: everything that installs an operator in a cluster, from its declarations, without a cluster. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Command, Option } from "commander";
import { type Chart, type Files, helmChart, kustomization, madeBy, plainYaml } from "../manifests/formats.js";
import { marks } from "../manifests/helm-values.js";
import { type ManifestGroups, manifestsOf } from "../manifests/objects.js";
import type { ManagerNeeds } from "../../manager/index.js";
import { managerWithoutCluster, type OperatorFile, readOperatorFile } from "../manifests/operator-file.js";
import { numberParser, parseName, parsePath } from "../flags.js";
import type { Terminal } from "../terminal.js";

interface ManifestsFlags {
  readonly format: "yaml" | "helm" | "kustomize";
  readonly out?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly watchNamespace?: string;
  readonly image?: string;
  readonly replicas: number;
  readonly serviceMonitor: boolean;
}

const parseReplicas = numberParser({ min: 1, max: 99, what: "a number of replicas from 1 to 99" });

export function manifestsCommand(terminal: Terminal): Command {
  return new Command("manifests")
    .description("print everything that installs an operator: definitions, least roles, deployment, webhooks")
    .argument("<file>", "a module that exports the operator, a function that takes options and gives a Manager")
    .argument("[args...]", "further arguments of the program, after --")
    .addOption(
      new Option("--format <format>", "the form of the output").choices(["yaml", "helm", "kustomize"]).default("yaml"),
    )
    .option("--out <path>", "a file for yaml, a folder for helm and kustomize", parsePath)
    .option("--image <image>", "the operator's image; name and version of its package without it")
    .option("--name <name>", "the name of everything that is made; that of the package without it", parseName)
    .option("--namespace <name>", "the namespace of the operator; its name without it", parseName)
    .option(
      "--watch-namespace <name>",
      "work in this namespace alone, with a Role in place of a ClusterRole",
      parseName,
    )
    .option(
      "--replicas <count>",
      "how many pods; one of them works and the others stand by, unless the operator shares its objects by shards",
      parseReplicas,
      2,
    )
    .option("--service-monitor", "with a ServiceMonitor, for clusters that have the Prometheus operator", false)
    .action((file: string, args: readonly string[], flags: ManifestsFlags) => run(file, { args, flags, terminal }));
}

interface Call {
  readonly args: readonly string[];
  readonly flags: ManifestsFlags;
  readonly terminal: Terminal;
}

async function run(file: string, { args: own, flags, terminal }: Call): Promise<void> {
  const { format, out, replicas } = flags;
  const isChart = format === "helm";
  if (format !== "yaml" && out === undefined) throw new Error(`--format ${format} needs a folder: give it by --out`);
  if (isChart && flags.namespace !== undefined)
    throw new Error("a chart has no namespace of its own: helm install --namespace gives it");
  const operator = await readOperatorFile(file);
  const { name = operator.name, image = `${name}:${operator.version}` } = flags;
  const namespace = isChart ? marks.namespace : (flags.namespace ?? name);
  const { needs, args } = await programOf(operator, { name, namespace, watchNamespace: flags.watchNamespace });
  const groups = manifestsOf(needs, {
    name,
    namespace,
    image,
    replicas,
    args: [...args, ...own],
    labels: { "app.kubernetes.io/name": name },
    serviceMonitor: flags.serviceMonitor || isChart,
  });
  const chart: Chart = { name, version: operator.version, image, replicas, isSharded: needs.isSharded };
  if (out === undefined) return terminal.out(plainYaml(groups));
  for (const path of await write(out, filesIn(format, groups, chart))) terminal.out(`${path}\n`);
}

function filesIn(format: ManifestsFlags["format"], groups: ManifestGroups, chart: Chart): Files {
  switch (format) {
    case "yaml":
      return new Map([["", plainYaml(groups)]]);
    case "helm":
      return helmChart(groups, chart);
    case "kustomize":
      return kustomization(groups, chart);
  }
}

interface Place {
  readonly name: string;
  readonly namespace: string;
  readonly watchNamespace: string | undefined;
}

interface InstalledProgram {
  readonly needs: ManagerNeeds;
  readonly args: readonly string[];
}

/** The arguments with which the operator runs in the cluster, and its needs with these: replicas elect a leader, unless they share the objects. */
async function programOf(
  operator: OperatorFile,
  { name, namespace, watchNamespace }: Place,
): Promise<InstalledProgram> {
  const shared = ["--metrics-address=:8080", "--log-format=json"];
  if (watchNamespace !== undefined) shared.push(`--namespace=${watchNamespace}`);
  const service = `--webhook-service=${name}`;
  const installed = async (args: readonly string[]): Promise<InstalledProgram> => {
    const manager = await managerWithoutCluster(operator, { name, namespace, args: [...args, service] });
    const needs = manager.needs();
    return { needs, args: needs.webhooks === undefined ? args : [...args, service] };
  };
  const alone = await installed(shared);
  return alone.needs.isSharded ? alone : installed(["--leader-elect", ...shared]);
}

/** Overwrites only files that this command has made. */
async function write(out: string, files: Files): Promise<readonly string[]> {
  const paths = Array.from(files, ([path, text]) => ({ path: path === "" ? out : join(out, path), text }));
  for (const { path } of paths)
    if (existsSync(path) && !readFileSync(path, "utf8").startsWith(madeBy))
      throw new Error(`${path} exists and was not made by this command: move it away, or give another --out`);
  for (const { path, text } of paths) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return paths.map(({ path }) => path);
}
