/** The table of HorizontalPodAutoscalers, with their targets column. */
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricValueStatus, Scale } from "../../api/index.js";
import { autoscalerConversion } from "../conversion/autoscaling.js";
import type { TableRenderer } from "../contracts/table.js";
import { age, name, table, type Tables } from "./kind-table.js";

const autoscalers = table<HorizontalPodAutoscaler>({
  Name: name,
  Reference: ({ spec }) => `${spec?.scaleTargetRef.kind}/${spec?.scaleTargetRef.name}`,
  Targets: ({ spec, status }) => targets(spec?.metrics ?? [], status?.currentMetrics ?? []),
  MinPods: ({ spec }) => String(spec?.minReplicas ?? "<unset>"),
  MaxPods: ({ spec }) => spec?.maxReplicas ?? 0,
  Replicas: ({ status }) => status?.currentReplicas ?? 0,
  Age: age,
});

export const autoscalerTables: Tables = {
  "autoscaling/HorizontalPodAutoscaler": autoscalers,
  // converts to v2 and shows that
  "autoscaling/v1/HorizontalPodAutoscaler": {
    ...autoscalers,
    cells: (object, now) => autoscalers.cells(autoscalerConversion.toStorage(object), now),
  },
};

const scales = table<Scale>({
  Name: name,
  "Desired:integer": ({ spec }) => spec?.replicas ?? 0,
  "Available:integer": ({ status }) => status?.replicas ?? 0,
  Age: age,
});

/** The table of `scale` for any custom object. */
export const customScaleTable: TableRenderer = {
  ...scales,
  columns: scales.columns.map((column) => (column.name === "Age" ? { ...column, type: "date" } : column)),
};

/** The table of `scale` for any workload; unlike other tables, its name column has no format. */
export const scaleTable: TableRenderer = {
  ...scales,
  columns: scales.columns.map((column) => ({ ...column, format: "" })),
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

type Amount = MetricValueStatus;

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
