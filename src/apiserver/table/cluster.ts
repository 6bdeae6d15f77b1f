/** Tables of core kinds other than workloads: namespaces, nodes, configuration, events, quotas, leases. */
import {
  type ComponentStatus,
  type ConfigMap,
  type Event,
  type EventsV1Event,
  type Lease,
  findCondition,
  type Namespace,
  type Node,
  type PriorityClass,
  type ResourceQuota,
  type RuntimeClass,
  type Secret,
  type ServiceAccount,
} from "../../api/index.js";
import { own } from "../../base/members.js";
import { since, sinceMicro } from "./human.js";
import { age, type Columns, name, table, type Tables } from "./kind-table.js";

const count = (entries: object | undefined): number => Object.keys(entries ?? {}).length;

function nodeStatus({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = "node-role.kubernetes.io/";

/** The roles of a node, from its labels `node-role.kubernetes.io/<role>` and `kubernetes.io/role=<role>`. */
function nodeRoles({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return [...roles].sort().join(",") || "<none>";
}

const nodeAddress =
  (wanted: string) =>
  ({ status }: Node): string =>
    status?.addresses?.find(({ type }) => type === wanted)?.address ?? "<none>";

function kernel({ status }: Node): string {
  const { kernelVersion, architecture } = status?.nodeInfo ?? {};
  return `${kernelVersion || "<unknown>"}${architecture ? ` (${architecture})` : ""}`;
}

/** The table of events of either version, in the terms of core/v1. */
const eventColumns: Columns<Event> = {
  "Last Seen": (event, now) => {
    if (event.series) return sinceMicro(event.series.lastObservedTime, now);
    return event.lastTimestamp ? since(event.lastTimestamp, now) : firstSeen(event, now);
  },
  Type: ({ type }) => type ?? "",
  Reason: ({ reason }) => reason ?? "",
  Object: ({ involvedObject: { kind = "", name: about } }) =>
    about ? `${kind.toLowerCase()}/${about}` : kind.toLowerCase(),
  "Subobject*": ({ involvedObject }) => involvedObject.fieldPath ?? "",
  "Source*": ({ source, reportingComponent = "", reportingInstance = "" }) => {
    const component = source?.component || reportingComponent;
    const instance = source?.host || reportingInstance;
    return instance === "" ? component : `${component}, ${instance}`;
  },
  Message: ({ message = "" }) => message.trim(),
  "First Seen*": firstSeen,
  "Count*": ({ series, count: times }) => (series ? (series.count ?? 0) : times || 1),
  "Name*": name,
};

function firstSeen({ firstTimestamp, eventTime }: Event, now: number): string {
  return firstTimestamp ? since(firstTimestamp, now) : sinceMicro(eventTime, now);
}

const eventTable = table<Event>(eventColumns);

/** The event's fields under the names of core/v1. */
const asCoreEvent = (event: EventsV1Event): object => ({
  ...event,
  firstTimestamp: event.deprecatedFirstTimestamp,
  lastTimestamp: event.deprecatedLastTimestamp,
  count: event.deprecatedCount,
  involvedObject: event.regarding ?? {},
  source: event.deprecatedSource,
  reportingComponent: event.reportingController,
  message: event.note,
});

/** The amounts of a quota whose names are limits, or of those whose names are not. */
const quotaCell =
  (limits: boolean) =>
  ({ status }: ResourceQuota): string =>
    Object.keys(status?.hard ?? {})
      .filter((resource) => resource.startsWith("limits.") === limits)
      .sort()
      .map((resource) => `${resource}: ${own(status?.used, resource) ?? "0"}/${own(status?.hard, resource)}`)
      .join(", ");

const health = ({ conditions }: ComponentStatus): NonNullable<ComponentStatus["conditions"]>[number] | undefined =>
  findCondition(conditions, "Healthy");

export const clusterTables: Tables = {
  "/Namespace": table<Namespace>({ Name: name, Status: ({ status }) => status?.phase ?? "", Age: age }),
  "/ConfigMap": table<ConfigMap>({
    Name: name,
    Data: ({ data, binaryData }) => count(data) + count(binaryData),
    Age: age,
  }),
  "/Secret": table<Secret>({
    Name: name,
    Type: ({ type }) => type ?? "",
    Data: ({ data }) => count(data),
    Age: age,
  }),
  "/ServiceAccount": table<ServiceAccount>({ Name: name, Age: age }),
  "/Node": table<Node>({
    Name: name,
    Status: nodeStatus,
    Roles: nodeRoles,
    Age: age,
    Version: ({ status }) => status?.nodeInfo?.kubeletVersion ?? "",
    "Internal-IP*": nodeAddress("InternalIP"),
    "External-IP*": nodeAddress("ExternalIP"),
    "OS-Image*": ({ status }) => status?.nodeInfo?.osImage || "<unknown>",
    "Kernel-Version*": kernel,
    "Container-Runtime*": ({ status }) => status?.nodeInfo?.containerRuntimeVersion || "<unknown>",
  }),
  "/Event": eventTable,
  "events.k8s.io/Event": {
    ...eventTable,
    cells: (event, now) => eventTable.cells(asCoreEvent(event as EventsV1Event) as Event, now),
  },
  "/ResourceQuota": table<ResourceQuota>({ Name: name, Request: quotaCell(false), Limit: quotaCell(true), Age: age }),
  "/ComponentStatus": table<ComponentStatus>({
    Name: name,
    Status: (component) => {
      const healthy = health(component);
      return healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
    },
    Message: (component) => health(component)?.message ?? "",
    Error: (component) => health(component)?.error ?? "",
  }),
  "coordination.k8s.io/Lease": table<Lease>({
    Name: name,
    Holder: ({ spec }) => spec?.holderIdentity ?? "",
    Age: age,
  }),
  "scheduling.k8s.io/PriorityClass": table<PriorityClass>({
    Name: name,
    "Value:integer": ({ value }) => value,
    "Global-Default:boolean": ({ globalDefault }) => globalDefault ?? false,
    Age: age,
    PreemptionPolicy: ({ preemptionPolicy }) => preemptionPolicy ?? "",
  }),
  "node.k8s.io/RuntimeClass": table<RuntimeClass>({ Name: name, Handler: ({ handler }) => handler, Age: age }),
};
