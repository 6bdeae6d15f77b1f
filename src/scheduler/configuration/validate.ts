/** The faults of a configuration whose fields have the right types, in kube-scheduler's words. */
import {
  deepEqual,
  durationToMs,
  type FieldError,
  type FieldPath,
  fieldPath,
  goQuote,
  isQualifiedName,
  parseDuration,
} from "../../api/index.js";
import type { CompletedConfiguration, CompletedProfile } from "./complete.js";
import { argumentFaults } from "./validate-arguments.js";
import type { ExtenderConfiguration, PluginArguments } from "./types.js";
import { repeats } from "../../base/members.js";
import { joinedErrors } from "../../api/errors/field-error.js";

type Faults = Generator<FieldError>;

export function* configurationFaults(configuration: CompletedConfiguration): Faults {
  const { parallelism, profiles, podInitialBackoffSeconds: first, podMaxBackoffSeconds: longest } = configuration;
  if (configuration.clientConnection.burst < 0) {
    yield fieldPath("clientConnection", "burst").invalid(configuration.clientConnection.burst, "must be non-negative");
  }
  yield* leaderElection(configuration.leaderElection);
  if (parallelism <= 0) {
    yield fieldPath("parallelism").invalid(parallelism, "should be an integer value greater than zero");
  }
  yield* allProfiles(profiles);
  yield* percentage(fieldPath("percentageOfNodesToScore"), configuration.percentageOfNodesToScore);
  if (first <= 0) yield fieldPath("podInitialBackoffSeconds").invalid(first, "must be greater than 0");
  if (longest < first) {
    const why = "must be greater than or equal to PodInitialBackoffSeconds";
    yield fieldPath("podMaxBackoffSeconds").invalid(longest, why);
  }
  yield* extenderFaults(configuration.extenders);
}

function* leaderElection(election: CompletedConfiguration["leaderElection"]): Faults {
  if (!election.leaderElect) return;
  const at = fieldPath("leaderElection");
  const positive = ["leaseDuration", "renewDeadline", "retryPeriod"] as const;
  const ms = (name: (typeof positive)[number]): number => durationToMs(parseDuration(election[name]));
  for (const name of positive) {
    if (ms(name) <= 0) yield at.child(name).invalid(election[name], "must be greater than zero");
  }
  if (ms("leaseDuration") < ms("renewDeadline")) {
    yield at.child("leaseDuration").invalid(election.renewDeadline, "LeaseDuration must be greater than RenewDeadline");
  }
  if (election.resourceLock !== "leases") {
    yield at.child("resourceLock").invalid(election.resourceLock, 'resourceLock value must be "leases"');
  }
}

function* allProfiles(profiles: readonly CompletedProfile[]): Faults {
  const isRepeat = repeats();
  const at = fieldPath("profiles");
  for (const [here, { schedulerName, percentageOfNodesToScore, pluginConfig }] of at.items(profiles)) {
    if (schedulerName === "") yield here.child("schedulerName").required();
    yield* percentage(here.child("percentageOfNodesToScore"), percentageOfNodesToScore);
    yield* pluginConfigs(here, pluginConfig);
    // upstream prints the path of the first one as an object without members
    if (isRepeat(schedulerName)) yield here.child("schedulerName").duplicate({});
  }
  const queueSort = profiles[0]?.plugins.queueSort;
  const sorting = queueSort?.enabled?.length ?? 0;
  if (sorting > 1) {
    const path = at.index(0).child("plugins", "queueSort", "Enabled");
    yield path.invalid(sorting, "only one queue sort plugin can be enabled");
  }
  for (const [here, { plugins }] of at.items(profiles)) {
    if (deepEqual(plugins.queueSort ?? {}, queueSort ?? {})) continue;
    yield here.child("plugins", "queueSort").invalid(plugins.queueSort ?? {}, "must be the same for all profiles");
  }
}

const removed = new Set(["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"]);

function* pluginConfigs(profile: FieldPath, configs: CompletedProfile["pluginConfig"]): Faults {
  const seen = new Set<string>();
  for (const [here, { name, args }] of profile.child("pluginConfig").items(configs)) {
    if (seen.has(name)) yield here.duplicate(name);
    else if (removed.has(name)) {
      const version = 'version "kubescheduler.config.k8s.io/v1"';
      yield here.invalid(name, `was invalid in version "v1" (KubeSchedulerConfiguration is ${version})`);
    } else if (name !== "NodeResourcesFit") {
      // the arguments of that one are examined when the profile is made
      yield* argumentFaults(here.child("args"), name as keyof PluginArguments, args);
    }
    seen.add(name);
  }
}

function* percentage(at: FieldPath, value: number | undefined): Faults {
  if (value !== undefined && (value < 0 || value > 100)) yield at.invalid(value, "not in valid range [0-100]");
}

function* extenderFaults(extenders: readonly ExtenderConfiguration[]): Faults {
  const isRepeat = repeats();
  const at = fieldPath("extenders");
  for (const [here, { prioritizeVerb, weight = 0, managedResources }] of at.items(extenders)) {
    if (prioritizeVerb && weight <= 0) {
      yield here.child("weight").invalid(weight, "must have a positive weight applied to it");
    }
    for (const [place, { name }] of here.child("managedResources").items(managedResources)) {
      const complaints = isQualifiedName(name);
      for (const complaint of complaints) yield place.child("name").invalid(name, complaint);
      if (complaints.length === 0 && !isExtendedResource(name)) {
        yield place.child("name").invalid(name, "is an invalid extended resource name");
      }
      if (isRepeat(name)) yield place.child("name").invalid(name, "duplicate extender managed resource name");
    }
  }
  const binders = extenders.filter(({ bindVerb }) => bindVerb).length;
  if (binders > 1) {
    yield at.invalid(`found ${binders} extenders implementing bind`, "only one extender can implement bind");
  }
}

/** Whether a resource is none of Kubernetes' own, and may be the subject of a quota. */
const isExtendedResource = (name: string): boolean =>
  name.includes("/") &&
  !name.includes("kubernetes.io/") &&
  !name.startsWith("requests.") &&
  isQualifiedName(`requests.${name}`).length === 0;

/** All faults in one text; undefined for none. */
export function aggregated(faults: Iterable<FieldError>): string | undefined {
  const texts = [...faults].map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));
  return texts.length === 0 ? undefined : joinedErrors(texts);
}

/** The error about the arguments of one plug-in. */
export const initializing = (plugin: string, faults: string): string =>
  `initializing plugin ${goQuote(plugin)}: ${faults}`;
