/** HorizontalPodAutoscaler between autoscaling/v1 and the stored v2; what v1 has no field for travels in annotations. Pure. */
import type { KubeObject } from "../../api/index.js";
import type { Conversion } from "../registry/built-in.js";

interface Metric {
  readonly type: string;
  readonly resource?: {
    readonly name: string;
    readonly target?: { readonly type: string; readonly averageUtilization?: number };
    readonly current?: { readonly averageUtilization?: number };
  };
}

interface Autoscaler extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly targetCPUUtilizationPercentage?: number;
    readonly metrics?: readonly Metric[];
    readonly behavior?: unknown;
  };
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly currentCPUUtilizationPercentage?: number;
    readonly currentMetrics?: readonly Metric[];
    readonly conditions?: readonly unknown[];
  };
}

const prefix = "autoscaling.alpha.kubernetes.io/";

export const autoscalerConversion: Conversion = {
  toStorage(object) {
    const { metadata, spec, status, ...rest } = object as Autoscaler;
    const { annotations, taken } = withoutOwn(metadata.annotations ?? {});
    const { targetCPUUtilizationPercentage: cpu, ...same } = spec;
    const metrics = [
      ...(cpu === undefined ? [] : [cpuMetric(cpu)]),
      ...((taken["metrics"] ?? []) as readonly Metric[]),
    ];
    const { currentCPUUtilizationPercentage: current, ...sameStatus } = status ?? {};
    const currentMetrics = [
      ...(current === undefined ? [] : [currentCpu(current)]),
      ...((taken["current-metrics"] ?? []) as readonly Metric[]),
    ];
    return {
      ...rest,
      apiVersion: "autoscaling/v2",
      metadata: withAnnotations(metadata, annotations),
      spec: {
        ...same,
        ...(metrics.length > 0 ? { metrics } : {}),
        ...(taken["behavior"] === undefined ? {} : { behavior: taken["behavior"] }),
      },
      status: {
        ...sameStatus,
        currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
        ...(taken["conditions"] === undefined ? {} : { conditions: taken["conditions"] }),
      },
    } as unknown as KubeObject;
  },

  fromStorage(object) {
    const { kind, metadata, spec, status, ...rest } = object as Autoscaler;
    const { metrics = [], behavior, ...same } = spec;
    const { currentMetrics, conditions, ...sameStatus } = status ?? {};
    const cpu = metrics.find(isCpuUtilization);
    const current = (currentMetrics ?? []).find(
      ({ type, resource }) => type === "Resource" && resource?.name === "cpu",
    );
    const others = metrics.filter((metric) => metric !== cpu);
    const otherCurrent = (currentMetrics ?? []).filter((metric) => metric !== current);
    const annotations = {
      ...metadata.annotations,
      ...annotation("metrics", others),
      ...annotation("current-metrics", otherCurrent),
      ...annotation("conditions", conditions ?? []),
      ...(behavior === undefined ? {} : { [`${prefix}behavior`]: JSON.stringify(behavior) }),
    };
    return {
      kind,
      ...rest,
      apiVersion: "autoscaling/v1",
      metadata: withAnnotations(metadata, annotations),
      spec: {
        ...same,
        ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu.resource?.target?.averageUtilization }),
      },
      status: {
        currentReplicas: 0,
        ...sameStatus,
        ...(current?.resource?.current?.averageUtilization === undefined
          ? {}
          : { currentCPUUtilizationPercentage: current.resource.current.averageUtilization }),
      },
    } as unknown as KubeObject;
  },
};

const isCpuUtilization = ({ type, resource }: Metric): boolean =>
  type === "Resource" && resource?.name === "cpu" && resource.target?.averageUtilization !== undefined;

const cpuMetric = (averageUtilization: number): Metric => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const currentCpu = (averageUtilization: number): Metric => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

function annotation(name: string, values: readonly unknown[]): Readonly<Record<string, string>> {
  return values.length === 0 ? {} : { [`${prefix}${name}`]: JSON.stringify(values) };
}

function withoutOwn(annotations: Readonly<Record<string, string>>): {
  readonly annotations: Readonly<Record<string, string>>;
  readonly taken: Readonly<Record<string, unknown>>;
} {
  const kept: Record<string, string> = {};
  const taken: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(annotations)) {
    if (!name.startsWith(prefix)) kept[name] = value;
    else {
      try {
        taken[name.slice(prefix.length)] = JSON.parse(value);
      } catch {
        kept[name] = value;
      }
    }
  }
  return { annotations: kept, taken };
}

function withAnnotations(
  metadata: KubeObject["metadata"],
  annotations: Readonly<Record<string, string>>,
): KubeObject["metadata"] {
  const { annotations: _, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}
