/** Tables of the kinds that run pods: apps, batch, autoscaling, policy. */
import {
  type ControllerRevision,
  controllerOf,
  type CronJob,
  type DaemonSet,
  type Deployment,
  formatLabelSelector,
  type Job,
  labelSelectorAsSelector,
  type LabelSelector,
  parseGroupVersion,
  parseTime,
  type PodDisruptionBudget,
  type PodTemplate,
  type ReplicaSet,
  type ReplicationController,
  type StatefulSet,
} from "../../api/index.js";
import type { TableRenderer } from "../contracts/table.js";
import { containerCells, formatLabels, humanDuration, since } from "./human.js";
import { table } from "./kind-table.js";

const wide = ["Containers*", "Images*", "Selector*"];

export const deploymentTable: TableRenderer = table<Deployment>(
  ["Name", "Ready", "Up-to-date", "Available", "Age", ...wide],
  ({ metadata, spec, status }, { age }) => [
    metadata.name,
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    age,
    ...containerCells(spec?.template.spec?.containers),
    selectorText(spec?.selector),
  ],
);

/** Unlike other tables, shows nothing for a deployment's empty selector. */
function selectorText(selector: LabelSelector | undefined): string {
  try {
    return labelSelectorAsSelector(selector).toString();
  } catch {
    return "<invalid>";
  }
}

/** The table of ReplicaSets and ReplicationControllers, which differ in the type of their selector. */
function replicasTable<T extends ReplicaSet | ReplicationController>(selectorOf: (object: T) => string): TableRenderer {
  const columns = ["Name", "Desired:integer", "Current:integer", "Ready:integer", "Age", ...wide];
  return table<T>(columns, (object, { age }) => {
    const { metadata, spec, status } = object;
    return [
      metadata.name,
      spec?.replicas ?? 0,
      status?.replicas ?? 0,
      status?.readyReplicas ?? 0,
      age,
      ...containerCells(spec?.template?.spec?.containers),
      selectorOf(object),
    ];
  });
}

export const replicaSetTable: TableRenderer = replicasTable<ReplicaSet>(({ spec }) =>
  formatLabelSelector(spec?.selector),
);
export const replicationControllerTable: TableRenderer = replicasTable<ReplicationController>(({ spec }) =>
  formatLabels(spec?.selector),
);

export const statefulSetTable: TableRenderer = table<StatefulSet>(
  ["Name", "Ready", "Age", "Containers*", "Images*"],
  ({ metadata, spec, status }, { age }) => [
    metadata.name,
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    age,
    ...containerCells(spec?.template.spec?.containers),
  ],
);

export const daemonSetTable: TableRenderer = table<DaemonSet>(
  [
    "Name",
    "Desired:integer",
    "Current:integer",
    "Ready:integer",
    "Up-to-date:integer",
    "Available:integer",
    "Node Selector",
    "Age",
    ...wide,
  ],
  ({ metadata, spec, status }, { age }) => [
    metadata.name,
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    formatLabels(spec?.template.spec?.nodeSelector),
    age,
    ...containerCells(spec?.template.spec?.containers),
    formatLabelSelector(spec?.selector),
  ],
);

export const controllerRevisionTable: TableRenderer = table<ControllerRevision>(
  ["Name", "Controller", "Revision", "Age"],
  (object, { age }) => {
    const owner = controllerOf(object);
    const group = owner ? parseGroupVersion(owner.apiVersion).group : "";
    const kind = group === "" ? owner?.kind : `${owner?.kind}.${group}`;
    return [object.metadata.name, owner ? `${kind?.toLowerCase()}/${owner.name}` : "<none>", object.revision, age];
  },
);

/** Condition types in the order of lookup; the first that is true is the job's state. */
const finishedStates = ["Complete", "Failed"];
const passingStates = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];

function jobStatus({ metadata, status }: Job): string {
  const isTrue = (wanted: string): boolean =>
    status?.conditions?.find(({ type }) => type === wanted)?.status === "True";
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

export const jobTable: TableRenderer = table<Job>(
  ["Name", "Status", "Completions", "Duration", "Age", ...wide],
  (job, { age, now }) => {
    const { startTime, completionTime } = job.status ?? {};
    const end = completionTime ? parseTime(completionTime) : now;
    return [
      job.metadata.name,
      jobStatus(job),
      jobCompletions(job),
      startTime ? humanDuration(end - parseTime(startTime)) : "",
      age,
      ...containerCells(job.spec?.template.spec?.containers),
      formatLabelSelector(job.spec?.selector),
    ];
  },
);

export const cronJobTable: TableRenderer = table<CronJob>(
  ["Name", "Schedule", "Timezone", "Suspend:boolean", "Active:integer", "Last Schedule", "Age", ...wide],
  ({ metadata, spec, status }, { age, now }) => [
    metadata.name,
    spec?.schedule ?? "",
    spec?.timeZone ?? "<none>",
    spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
    status?.active?.length ?? 0,
    status?.lastScheduleTime ? since(status.lastScheduleTime, now) : "<none>",
    age,
    ...containerCells(spec?.jobTemplate.spec?.template.spec?.containers),
    formatLabelSelector(spec?.jobTemplate.spec?.selector),
  ],
);

export const podTemplateTable: TableRenderer = table<PodTemplate>(
  ["Name", "Containers", "Images", "Pod Labels"],
  ({ metadata, template }) => [
    metadata.name,
    ...containerCells(template?.spec?.containers),
    formatLabels(template?.metadata?.labels),
  ],
);

export const podDisruptionBudgetTable: TableRenderer = table<PodDisruptionBudget>(
  ["Name", "Min Available", "Max Unavailable", "Allowed Disruptions:integer", "Age"],
  ({ metadata, spec, status }, { age }) => [
    metadata.name,
    String(spec?.minAvailable ?? "N/A"),
    String(spec?.maxUnavailable ?? "N/A"),
    status?.disruptionsAllowed ?? 0,
    age,
  ],
);
