/** The same configuration files for our scheduler and for the real kube-scheduler: they accept and refuse the same, with the same words. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messageOf } from "../../../src/base/index.js";
import {
  completeSchedulerConfiguration,
  parseSchedulerConfiguration,
} from "../../../src/scheduler/configuration/read.js";
import { envtestAssets } from "../../../src/testing/envtest.js";

const program = join(envtestAssets() ?? "", "kube-scheduler");

const config = (fields: string): string => `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
${fields}`;

const plugins = (sets: string): string => config(`profiles: [{plugins: {${sets}}}]`);
const args = (name: string, value: string): string =>
  config(`profiles: [{pluginConfig: [{name: ${name}, args: {${value}}}]}]`);

/** The error without the parts that name upstream's source files. */
async function realError(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "coxswain-scheduler-"));
  try {
    const [file, written] = [join(directory, "config.yaml"), join(directory, "written.yaml")];
    await writeFile(file, text);
    const flags = [
      `--config=${file}`,
      "--secure-port=0",
      "--master=http://127.0.0.1:1",
      `--write-config-to=${written}`,
    ];
    const output = await new Promise<string>((resolve) => {
      execFile(program, flags, (_error, out, err) => resolve(out + err));
    });
    if (existsSync(written)) return (await readFile(written, "utf8")).includes("kind:") ? "accepted" : "empty";
    const failed = /"command failed" err="((?:[^"\\]|\\.)*)"/.exec(output)?.[1] ?? output;
    return (JSON.parse(`"${failed}"`) as string).replace(/ in scheme "[^"]*"/, "");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function ourError(text: string): string {
  try {
    completeSchedulerConfiguration(parseSchedulerConfiguration(text));
    return "accepted";
  } catch (error) {
    return messageOf(error);
  }
}

const shape = "[{utilization: 50, score: 11}, {utilization: 50, score: 1}]";

const files: Readonly<Record<string, string>> = {
  empty: "",
  "no version": "kind: X",
  "an older version": "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration",
  "another kind": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: Foo",
  "nothing but the kind": config(""),
  "an unknown field": config("foo: bar"),
  "unknown fields further down": config("profiles: [{foo: 1, plugins: {score: {bar: 2}}}]"),
  "a text for a number": config("parallelism: x"),
  "a number for a name": config("profiles: [{schedulerName: 1}]"),
  "a text for a list": config("profiles: x"),
  "a fraction": config("parallelism: 1.5"),
  "a duration that is none": config("extenders: [{urlPrefix: 'http://x', httpTimeout: soon}]"),
  "numbers out of range": config(`parallelism: 0
podInitialBackoffSeconds: 0
podMaxBackoffSeconds: -1
percentageOfNodesToScore: 101`),
  "names of profiles": config("profiles: [{schedulerName: a}, {schedulerName: a}, {}]"),
  "a percentage of a profile": config("profiles: [{percentageOfNodesToScore: -1}]"),
  "an unknown plug-in": plugins("filter: {enabled: [{name: Nope}]}"),
  "a plug-in at a wrong point": plugins("score: {enabled: [{name: NodeName}]}"),
  "a plug-in twice": plugins("filter: {enabled: [{name: NodeName}, {name: NodeName}]}"),
  "a plug-in twice at all points": plugins("multiPoint: {enabled: [{name: NodeName}, {name: NodeName}]}"),
  "no order of the queue": plugins("queueSort: {disabled: [{name: '*'}]}"),
  "two orders of the queue": plugins("queueSort: {enabled: [{name: PrioritySort}, {name: PrioritySort}]}"),
  "no binder": plugins("bind: {disabled: [{name: '*'}]}"),
  "no plug-ins at all": plugins("multiPoint: {disabled: [{name: '*'}]}"),
  "a negative weight": plugins("score: {enabled: [{name: NodeAffinity, weight: -1}]}"),
  "weights, and points without plug-ins": plugins(
    "multiPoint: {disabled: [{name: ImageLocality}]}, score: {enabled: [{name: NodeAffinity, weight: 7}]}, postFilter: {disabled: [{name: '*'}]}",
  ),
  "different orders of the queue": config(
    "profiles: [{schedulerName: a, plugins: {queueSort: {enabled: [{name: PrioritySort}], disabled: [{name: '*'}]}}}, {schedulerName: b, plugins: {queueSort: {enabled: [{name: PrioritySort}], disabled: [{name: '*'}]}}}]",
  ),
  "an unknown strategy": args("NodeResourcesFit", "scoringStrategy: {type: Foo}"),
  "a strategy without its shape": args("NodeResourcesFit", "scoringStrategy: {type: RequestedToCapacityRatio}"),
  "a strategy with a wrong shape": args(
    "NodeResourcesFit",
    `scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: ${shape}}}`,
  ),
  "wrong resources": args(
    "NodeResourcesFit",
    "ignoredResourceGroups: [a/b], scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 101}], requestedToCapacityRatio: {shape: []}}",
  ),
  "a strategy with a shape": args(
    "NodeResourcesFit",
    "scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: example.com/gpu, weight: 3}], requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}}",
  ),
  "arguments of another kind": args("InterPodAffinity", "kind: X"),
  "arguments of an unknown plug-in": args("Foo", "a: b"),
  "unknown arguments": args("NodeAffinity", "foo: 1"),
  "arguments of a wrong type": args("InterPodAffinity", "hardPodAffinityWeight: much"),
  "arguments twice": config(
    "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}, {name: InterPodAffinity}]}]",
  ),
  "no candidates": args("DefaultPreemption", "minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0"),
  "candidates out of range": args(
    "DefaultPreemption",
    "minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1",
  ),
  "wrong default constraints": args(
    "PodTopologySpread",
    "defaultingType: List, defaultConstraints: [{maxSkew: 0, topologyKey: '', whenUnsatisfiable: X, labelSelector: {}}, {maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]",
  ),
  "constraints beside the system's": args(
    "PodTopologySpread",
    "defaultConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]",
  ),
  "an unknown defaulting": args("PodTopologySpread", "defaultingType: Foo"),
  "a wrong added affinity": args(
    "NodeAffinity",
    "addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Foo}]}]}}",
  ),
  "an added affinity": args(
    "NodeAffinity",
    "addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}",
  ),
  "times out of range": config(
    "profiles: [{pluginConfig: [{name: VolumeBinding, args: {bindTimeoutSeconds: -1, shape: []}}, {name: DynamicResources, args: {filterTimeout: -1s, bindingTimeout: 1ms}}]}]",
  ),
  "wrong resources for balance": args(
    "NodeResourcesBalancedAllocation",
    "resources: [{name: cpu, weight: 2}, {name: cpu}]",
  ),
  "wrong extenders": config(
    "extenders: [{urlPrefix: 'http://x', prioritizeVerb: p, bindVerb: b, managedResources: [{name: cpu}, {name: 'a b'}, {name: x.y/z}, {name: x.y/z}]}, {bindVerb: b}]",
  ),
  extenders: config(
    "extenders: [{urlPrefix: 'http://127.0.0.1:1/x', filterVerb: f, prioritizeVerb: p, weight: 2, httpTimeout: 1s, ignorable: true, nodeCacheCapable: true, managedResources: [{name: x.y/z, ignoredByScheduler: true}]}]",
  ),
};

describe.skipIf(!existsSync(program))(
  "a configuration beside the real one (skipped unless KUBEBUILDER_ASSETS has a kube-scheduler too)",
  () => {
    test.each(Object.entries(files))("%s", async (_name, text) => {
      expect(ourError(text)).toBe(await realError(text));
    });
  },
);
