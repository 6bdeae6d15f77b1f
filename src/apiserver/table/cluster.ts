/** Tables of core kinds other than workloads: namespaces, nodes, configuration, events, quotas, leases. */
import type {
  ComponentStatus,
  ConfigMap,
  Event,
  EventsV1Event,
  Lease,
  Namespace,
  Node,
  PriorityClass,
  ResourceQuota,
  RuntimeClass,
  Secret,
  ServiceAccount,
} from "../../api/index.js";
import { own } from "../../base/members.js";
import type { TableRenderer } from "../contracts/table.js";
import { since, sinceMicro } from "./human.js";
import { table } from "./kind-table.js";

export const namespaceTable: TableRenderer = table<Namespace>(
  ["Name", "Status", "Age"],
  ({ metadata, status }, { age }) => [metadata.name, status?.phase ?? "", age],
);

export const configMapTable: TableRenderer = table<ConfigMap>(
  ["Name", "Data", "Age"],
  ({ metadata, data, binaryData }, { age }) => [
    metadata.name,
    Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    age,
  ],
);

export const secretTable: TableRenderer = table<Secret>(
  ["Name", "Type", "Data", "Age"],
  ({ metadata, type, data }, { age }) => [metadata.name, type ?? "", Object.keys(data ?? {}).length, age],
);

export const serviceAccountTable: TableRenderer = table<ServiceAccount>(["Name", "Age"], ({ metadata }, { age }) => [
  metadata.name,
  age,
]);

export const nodeTable: TableRenderer = table<Node>(
  [
    "Name",
    "Status",
    "Roles",
    "Age",
    "Version",
    "Internal-IP*",
    "External-IP*",
    "OS-Image*",
    "Kernel-Version*",
    "Container-Runtime*",
  ],
  (node, { age }) => {
    const { nodeInfo, addresses } = node.status ?? {};
    const address = (wanted: string): string => addresses?.find(({ type }) => type === wanted)?.address ?? "<none>";
    const architecture = nodeInfo?.architecture ? ` (${nodeInfo.architecture})` : "";
    return [
      node.metadata.name,
      nodeStatus(node),
      nodeRoles(node) || "<none>",
      age,
      nodeInfo?.kubeletVersion ?? "",
      address("InternalIP"),
      address("ExternalIP"),
      nodeInfo?.osImage || "<unknown>",
      `${nodeInfo?.kernelVersion || "<unknown>"}${architecture}`,
      nodeInfo?.containerRuntimeVersion || "<unknown>",
    ];
  },
);

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
  return [...roles].sort().join(",");
}

/** An event of either version, in the terms of core/v1. */
interface AnyEvent {
  readonly name: string;
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly eventTime: string | null | undefined;
  readonly series: { readonly count?: number; readonly lastObservedTime?: string } | undefined;
  readonly count: number;
  readonly about: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string };
  readonly component: string;
  readonly instance: string;
  readonly words: readonly [type: string, reason: string, message: string];
}

const eventColumns = [
  "Last Seen",
  "Type",
  "Reason",
  "Object",
  "Subobject*",
  "Source*",
  "Message",
  "First Seen*",
  "Count*",
  "Name*",
];

function eventCells(event: AnyEvent, now: number): readonly unknown[] {
  const first = event.first ? since(event.first, now) : sinceMicro(event.eventTime, now);
  const last = event.series
    ? sinceMicro(event.series.lastObservedTime, now)
    : event.last
      ? since(event.last, now)
      : first;
  const { kind = "", name, fieldPath = "" } = event.about;
  const [type, reason, message] = event.words;
  return [
    last,
    type,
    reason,
    name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
    fieldPath,
    event.instance === "" ? event.component : `${event.component}, ${event.instance}`,
    message.trim(),
    first,
    event.series ? (event.series.count ?? 0) : event.count || 1,
    event.name,
  ];
}

export const eventTable: TableRenderer = table<Event>(eventColumns, (event, { now }) =>
  eventCells(
    {
      name: event.metadata.name,
      first: event.firstTimestamp,
      last: event.lastTimestamp,
      eventTime: event.eventTime,
      series: event.series,
      count: event.count ?? 0,
      about: event.involvedObject,
      component: event.source?.component || (event.reportingComponent ?? ""),
      instance: event.source?.host || (event.reportingInstance ?? ""),
      words: [event.type ?? "", event.reason ?? "", event.message ?? ""],
    },
    now,
  ),
);

export const newEventTable: TableRenderer = table<EventsV1Event>(eventColumns, (event, { now }) =>
  eventCells(
    {
      name: event.metadata.name,
      first: event.deprecatedFirstTimestamp,
      last: event.deprecatedLastTimestamp,
      eventTime: event.eventTime,
      series: event.series,
      count: event.deprecatedCount ?? 0,
      about: event.regarding ?? {},
      component: event.deprecatedSource?.component || (event.reportingController ?? ""),
      instance: event.deprecatedSource?.host || (event.reportingInstance ?? ""),
      words: [event.type ?? "", event.reason ?? "", event.note ?? ""],
    },
    now,
  ),
);

export const resourceQuotaTable: TableRenderer = table<ResourceQuota>(
  ["Name", "Request", "Limit", "Age"],
  ({ metadata, status }, { age }) => {
    const requests: string[] = [];
    const limits: string[] = [];
    for (const name of Object.keys(status?.hard ?? {}).sort()) {
      const line = `${name}: ${own(status?.used, name) ?? "0"}/${own(status?.hard, name)}`;
      (name.startsWith("limits.") ? limits : requests).push(line);
    }
    return [metadata.name, requests.join(", "), limits.join(", "), age];
  },
);

export const componentStatusTable: TableRenderer = table<ComponentStatus>(
  ["Name", "Status", "Message", "Error"],
  ({ metadata, conditions }) => {
    const healthy = conditions?.find(({ type }) => type === "Healthy");
    const word = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
    return [metadata.name, word, healthy?.message ?? "", healthy?.error ?? ""];
  },
);

export const leaseTable: TableRenderer = table<Lease>(["Name", "Holder", "Age"], ({ metadata, spec }, { age }) => [
  metadata.name,
  spec?.holderIdentity ?? "",
  age,
]);

export const priorityClassTable: TableRenderer = table<PriorityClass>(
  ["Name", "Value:integer", "Global-Default:boolean", "Age", "PreemptionPolicy"],
  ({ metadata, value, globalDefault, preemptionPolicy }, { age }) => [
    metadata.name,
    value,
    globalDefault ?? false,
    age,
    preemptionPolicy ?? "",
  ],
);

export const runtimeClassTable: TableRenderer = table<RuntimeClass>(
  ["Name", "Handler", "Age"],
  ({ metadata, handler }, { age }) => [metadata.name, handler, age],
);
