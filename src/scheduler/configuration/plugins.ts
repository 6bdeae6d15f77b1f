/** The plug-ins of each extension point: the defaults, changed by a profile's sets. */
import { goQuote } from "../../api/index.js";
import { lookup, repeats } from "../../base/members.js";
import { SchedulerConfigurationError } from "./fields.js";
import { type ExtensionPoint, extensionPoints, type PluginSet, type PluginSets } from "./types.js";

interface Plugin {
  readonly name: string;
  readonly weight?: number;
}

/** The extension points of each plug-in, as kube-scheduler's are. */
const registry: Readonly<Record<string, readonly ExtensionPoint[]>> = lookup({
  SchedulingGates: ["preEnqueue"],
  PrioritySort: ["queueSort"],
  NodeUnschedulable: ["filter"],
  NodeName: ["filter"],
  TaintToleration: ["filter", "preScore", "score"],
  NodeAffinity: ["preFilter", "filter", "preScore", "score"],
  NodePorts: ["preFilter", "filter"],
  NodeResourcesFit: ["preFilter", "filter", "preScore", "score", "placementScore"],
  VolumeRestrictions: ["preFilter", "filter"],
  NodeVolumeLimits: ["preFilter", "filter"],
  VolumeBinding: ["preFilter", "filter", "preScore", "score", "reserve", "preBind"],
  VolumeZone: ["preFilter", "filter"],
  PodTopologySpread: ["preFilter", "filter", "preScore", "score"],
  InterPodAffinity: ["preFilter", "filter", "preScore", "score"],
  DynamicResources: ["preEnqueue", "preFilter", "filter", "postFilter", "score", "reserve", "preBind"],
  DefaultPreemption: ["preEnqueue", "postFilter"],
  NodeResourcesBalancedAllocation: ["preScore", "score"],
  ImageLocality: ["score"],
  DefaultBinder: ["bind"],
  NodeDeclaredFeatures: ["preFilter", "filter"],
});

/** In the order in which they are asked. */
const defaults: readonly Plugin[] = [
  { name: "SchedulingGates" },
  { name: "PrioritySort" },
  { name: "NodeUnschedulable" },
  { name: "NodeName" },
  { name: "TaintToleration", weight: 3 },
  { name: "NodeAffinity", weight: 2 },
  { name: "NodePorts" },
  { name: "NodeResourcesFit", weight: 1 },
  { name: "VolumeRestrictions" },
  { name: "NodeVolumeLimits" },
  { name: "VolumeBinding" },
  { name: "VolumeZone" },
  { name: "PodTopologySpread", weight: 2 },
  { name: "InterPodAffinity", weight: 2 },
  { name: "DynamicResources", weight: 2 },
  { name: "DefaultPreemption" },
  { name: "NodeResourcesBalancedAllocation", weight: 1 },
  { name: "ImageLocality", weight: 1 },
  { name: "DefaultBinder" },
];

/** The plug-ins at work. */
export interface EnabledPlugins {
  /** By extension point, in the order in which they are asked. */
  readonly at: Readonly<Record<ExtensionPoint, readonly string[]>>;
  /** The weights of scores, by name. */
  readonly weights: ReadonlyMap<string, number>;
}

/** Throws if a plug-in is unknown, enabled twice, or has no business at a point. */
export function enabledPlugins(sets: PluginSets, profile: string): EnabledPlugins {
  const multiPoint = merged(sets.multiPoint);
  const fail = (message: string): never => {
    throw new SchedulerConfigurationError(`creating profile for scheduler name ${profile}: ${message}`);
  };
  const points = extensionPoints.map((point) => {
    const specific = (sets[point]?.enabled ?? []).map(({ name }) => name);
    checkSpecific(specific, point, fail);
    return [point, expanded(specific, { point, multiPoint, disabled: sets[point]?.disabled ?? [], fail })] as const;
  });
  const at = Object.fromEntries(points) as EnabledPlugins["at"];
  const inQueue = at.queueSort.length;
  if (inQueue !== 1) {
    fail(`only one queue sort plugin required for profile with scheduler name ${goQuote(profile)}, but got ${inQueue}`);
  }
  if (at.bind.length === 0) {
    fail(`at least one bind plugin is needed for profile with scheduler name ${goQuote(profile)}`);
  }
  return { at, weights: weightsOf([...(sets.score?.enabled ?? []), ...multiPoint], fail) };
}

/** A default that is enabled again keeps its place and takes the new weight; others follow the defaults. */
function merged({ enabled = [], disabled = [] }: PluginSet = {}): readonly Plugin[] {
  const off = new Set(disabled.map(({ name }) => name));
  const kept = off.has("*") ? [] : defaults.filter(({ name }) => !off.has(name));
  const replaced = new Set<Plugin>();
  const first = kept.map((plugin) => {
    const again = enabled.findLast(({ name }) => name === plugin.name);
    if (again !== undefined) replaced.add(again);
    return again ?? plugin;
  });
  return [...first, ...enabled.filter((plugin) => !replaced.has(plugin))];
}

type Fail = (message: string) => never;

/** The interface of a plug-in in Go, by which errors name the point. */
const typeOf = (point: ExtensionPoint): string => `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;

function checkSpecific(names: readonly string[], point: ExtensionPoint, fail: Fail): void {
  const isRepeat = repeats();
  for (const name of names) {
    const points = registry[name];
    if (points === undefined) fail(`${typeOf(point)} ${goQuote(name)} does not exist`);
    if (!points?.includes(point)) fail(`plugin ${goQuote(name)} does not extend ${typeOf(point)} plugin`);
    if (isRepeat(name)) fail(`plugin ${goQuote(name)} already registered as ${goQuote(typeOf(point))}`);
  }
}

interface Expansion {
  readonly point: ExtensionPoint;
  readonly multiPoint: readonly Plugin[];
  readonly disabled: readonly { readonly name: string }[];
  readonly fail: Fail;
}

/** First the plug-ins that the point names again, then the others of all points, then those of this point alone. */
function expanded(specific: readonly string[], { point, multiPoint, disabled, fail }: Expansion): readonly string[] {
  const off = new Set(disabled.map(({ name }) => name));
  if (off.has("*")) return specific;
  const again = new Set<string>();
  const further = new Set<string>();
  for (const { name } of multiPoint) {
    if (registry[name] === undefined) fail(`${typeOf("preFilter")} ${goQuote(name)} does not exist`);
    if (!registry[name]?.includes(point) || off.has(name)) continue;
    if (specific.includes(name)) again.add(name);
    else if (further.has(name)) fail(`plugin ${goQuote(name)} already registered as ${goQuote(typeOf(point))}`);
    else further.add(name);
  }
  return [...specific.filter((name) => again.has(name)), ...further, ...specific.filter((name) => !again.has(name))];
}

function weightsOf(plugins: readonly Plugin[], fail: Fail): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { name, weight } of plugins) {
    if (weights.has(name) || !registry[name]?.includes("score")) continue;
    // upstream adds up the highest scores in 64 bits, which a negative weight makes overflow
    if (weight !== undefined && weight < 0) fail("score plugins: total score of Score plugins could overflow");
    weights.set(name, weight || 1);
  }
  return weights;
}
