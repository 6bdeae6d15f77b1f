/** Tables of the kinds that run pods: apps, batch, policy. */
import {
  isConditionTrue,
  type ControllerRevision,
  controllerOf,
  type CronJob,
  type DaemonSet,
  type Deployment,
  formatLabelSelector,
  type Job,
  type KubeObject,
  labelSelectorAsSelector,
  type LabelSelector,
  parseGroupVersion,
  parseTime,
  type PodDisruptionBudget,
  type PodTemplate,
  type PodTemplateSpec,
  type ReplicaSet,
  type ReplicationController,
  type StatefulSet,
} from "../../api/index.js";
import { formatLabels, humanDuration, since } from "./human.js";
import { age, type Columns, name, table, type Tables } from "./kind-table.js";

/** The wide columns with the names and the images of a template's containers. */
const containers = <T extends KubeObject>(templateOf: (object: T) => PodTemplateSpec | undefined): Columns<T> => ({
  "Containers*": (object) => containerNames(templateOf(object)),
  "Images*": (object) => images(templateOf(object)),
});

const containerNames = (template: PodTemplateSpec | undefined): string =>
  (template?.spec?.containers ?? []).map((container) => container.name).join(",");

const images = (template: PodTemplateSpec | undefined): string =>
  (template?.spec?.containers ?? []).map(({ image }) => image ?? "").join(",");

/** Unlike other tables, shows nothing for a deployment's empty selector. */
function selectorText(selector: LabelSelector | undefined): string {
  try {
    return labelSelectorAsSelector(selector).toString();
  } catch {
    return "<invalid>";
  }
}

/** The columns of ReplicaSets and ReplicationControllers, which differ in the type of their selector. */
const replicas: Columns<ReplicaSet | ReplicationController> = {
  Name: name,
  "Desired:integer": ({ spec }) => spec?.replicas ?? 0,
  "Current:integer": ({ status }) => status?.replicas ?? 0,
  "Ready:integer": ({ status }) => status?.readyReplicas ?? 0,
  Age: age,
  ...containers(({ spec }) => spec?.template),
};

const readyOfWanted = ({ spec, status }: Deployment | StatefulSet): string =>
  `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;

function controllerCell(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (owner === undefined) return "<none>";
  const { group } = parseGroupVersion(owner.apiVersion);
  return `${(group === "" ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`;
}

/** Condition types in the order of lookup; the first that is true is the job's state. */
const finishedStates = ["Complete", "Failed"];
const passingStates = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];

function jobStatus({ metadata, status }: Job): string {
  const isTrue = (wanted: string): boolean => isConditionTrue(status?.conditions, wanted);
  const finished = finishedStates.find(isTrue);
  if (finished !== undefined) return finished;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return passingStates.find(isTrue) ?? "Running";
}

function jobCompletions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration({ status }: Job, now: number): string {
  const { startTime, completionTime } = status ?? {};
  if (!startTime) return "";
  return humanDuration((completionTime ? parseTime(completionTime) : now) - parseTime(startTime));
}

export const workloadTables: Tables = {
  "apps/Deployment": table<Deployment>({
    Name: name,
    Ready: readyOfWanted,
    "Up-to-date": ({ status }) => status?.updatedReplicas ?? 0,
    Available: ({ status }) => status?.availableReplicas ?? 0,
    Age: age,
    ...containers(({ spec }) => spec?.template),
    "Selector*": ({ spec }) => selectorText(spec?.selector),
  }),
  "apps/ReplicaSet": table<ReplicaSet>({
    ...replicas,
    "Selector*": ({ spec }) => formatLabelSelector(spec?.selector),
  }),
  "/ReplicationController": table<ReplicationController>({
    ...replicas,
    "Selector*": ({ spec }) => formatLabels(spec?.selector),
  }),
  "apps/StatefulSet": table<StatefulSet>({
    Name: name,
    Ready: readyOfWanted,
    Age: age,
    ...containers(({ spec }) => spec?.template),
  }),
  "apps/DaemonSet": table<DaemonSet>({
    Name: name,
    "Desired:integer": ({ status }) => status?.desiredNumberScheduled ?? 0,
    "Current:integer": ({ status }) => status?.currentNumberScheduled ?? 0,
    "Ready:integer": ({ status }) => status?.numberReady ?? 0,
    "Up-to-date:integer": ({ status }) => status?.updatedNumberScheduled ?? 0,
    "Available:integer": ({ status }) => status?.numberAvailable ?? 0,
    "Node Selector": ({ spec }) => formatLabels(spec?.template.spec?.nodeSelector),
    Age: age,
    ...containers(({ spec }) => spec?.template),
    "Selector*": ({ spec }) => formatLabelSelector(spec?.selector),
  }),
  "apps/ControllerRevision": table<ControllerRevision>({
    Name: name,
    Controller: controllerCell,
    Revision: ({ revision }) => revision,
    Age: age,
  }),
  "batch/Job": table<Job>({
    Name: name,
    Status: jobStatus,
    Completions: jobCompletions,
    Duration: jobDuration,
    Age: age,
    ...containers(({ spec }) => spec?.template),
    "Selector*": ({ spec }) => formatLabelSelector(spec?.selector),
  }),
  "batch/CronJob": table<CronJob>({
    Name: name,
    Schedule: ({ spec }) => spec?.schedule ?? "",
    Timezone: ({ spec }) => spec?.timeZone ?? "<none>",
    "Suspend:boolean": ({ spec }) => (spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False"),
    "Active:integer": ({ status }) => status?.active?.length ?? 0,
    "Last Schedule": ({ status }, now) => (status?.lastScheduleTime ? since(status.lastScheduleTime, now) : "<none>"),
    Age: age,
    ...containers(({ spec }) => spec?.jobTemplate.spec?.template),
    "Selector*": ({ spec }) => formatLabelSelector(spec?.jobTemplate.spec?.selector),
  }),
  "/PodTemplate": table<PodTemplate>({
    Name: name,
    Containers: ({ template }) => containerNames(template),
    Images: ({ template }) => images(template),
    "Pod Labels": ({ template }) => formatLabels(template?.metadata?.labels),
  }),
  "policy/PodDisruptionBudget": table<PodDisruptionBudget>({
    Name: name,
    "Min Available": ({ spec }) => String(spec?.minAvailable ?? "N/A"),
    "Max Unavailable": ({ spec }) => String(spec?.maxUnavailable ?? "N/A"),
    "Allowed Disruptions:integer": ({ status }) => status?.disruptionsAllowed ?? 0,
    Age: age,
  }),
};
