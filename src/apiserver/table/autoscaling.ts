/** The table of HorizontalPodAutoscalers, with their targets column. */
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus, Scale } from "../../api/index.js";
import { autoscalerConversion } from "../conversion/autoscaling.js";
import type { TableRenderer } from "../contracts/table.js";
import { table } from "./kind-table.js";

const columns = ["Name", "Reference", "Targets", "MinPods", "MaxPods", "Replicas", "Age"];

export const horizontalPodAutoscalerTable: TableRenderer = table<HorizontalPodAutoscaler>(
  columns,
  ({ metadata, spec, status }, { age }) => [
    metadata.name,
    `${spec?.scaleTargetRef.kind}/${spec?.scaleTargetRef.name}`,
    targets(spec?.metrics ?? [], status?.currentMetrics ?? []),
    spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
    age,
  ],
);

const scales = table<Scale>(
  ["Name", "Desired:integer", "Available:integer", "Age"],
  ({ metadata, spec, status }, { age }) => [metadata.name, spec?.replicas ?? 0, status?.replicas ?? 0, age],
);

/** The table of `scale` for any workload; unlike other tables, its name column has no format. */
export const scaleTable: TableRenderer = {
  ...scales,
  columns: scales.columns.map((column) => ({ ...column, format: "" })),
};

/** The table of autoscaling/v1: converts to v2 and shows that. */
export const oldHorizontalPodAutoscalerTable: TableRenderer = {
  columns: horizontalPodAutoscalerTable.columns,
  cells: (object, now) => horizontalPodAutoscalerTable.cells(autoscalerConversion.toStorage(object), now),
};

function targets(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const shown = specs.map((spec, index) => target(spec, statuses[index])).slice(0, 2);
  const more = specs.length > 2 ? ` + ${specs.length - 2} more...` : "";
  return shown.join(", ") + more;
}

function target(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueOrAverage(spec.external?.target, status?.external?.current);
    case "Object":
      return valueOrAverage(spec.object?.target, status?.object?.current);
    case "Pods":
      return averages(spec.pods?.target, status?.pods?.current);
    case "Resource":
      return resource(spec.resource, status?.resource);
    case "ContainerResource":
      return resource(spec.containerResource, status?.containerResource);
    default:
      return "<unknown type>";
  }
}

interface Amount {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

function averages(wanted: Amount | undefined, current: Amount | undefined): string {
  return `${current?.averageValue ?? "<unknown>"}/${wanted?.averageValue}`;
}

function resource(
  wanted: { readonly name: string; readonly target: Amount } | undefined,
  status: { readonly current: Amount } | undefined,
): string {
  return `${wanted?.name}: ${utilization(wanted?.target, status?.current)}`;
}

function valueOrAverage(wanted: Amount | undefined, current: Amount | undefined): string {
  if (wanted?.averageValue !== undefined) return `${averages(wanted, current)} (avg)`;
  return `${current?.value ?? "<unknown>"}/${wanted?.value}`;
}

function utilization(wanted: Amount | undefined, current: Amount | undefined): string {
  if (wanted?.averageValue !== undefined) return averages(wanted, current);
  const percent = (value: number | undefined, otherwise: string): string =>
    value === undefined ? otherwise : `${value}%`;
  return `${percent(current?.averageUtilization, "<unknown>")}/${percent(wanted?.averageUtilization, "<auto>")}`;
}
