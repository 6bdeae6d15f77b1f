/** The measurements of a simulated node as its kubelet serves them: the summary, and the resource metrics. */
import { formatTime, type Node, type Pod } from "../../api/index.js";
import type { Measurements } from "./usage.js";
import type { WorkLoad, WorkCounters } from "./work-counters.js";

export interface Measured {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly usage: Measurements;
}

const nano = (cores: number): number => Math.round(cores * 1e9);

/** The body of `/stats/summary`; the parts that are not simulated are left out. */
export function summaryOf({ node, pods, usage }: Measured): unknown {
  const { name } = node.metadata;
  const whole = usage.node(node);
  return {
    node: { nodeName: name, ...(whole && loadOf(whole, formatTime(whole.timestamp))) },
    pods: pods.flatMap((pod) => {
      const measured = usage.pod(pod);
      if (measured === undefined) return [];
      const { name: podName, namespace = "", uid = "" } = pod.metadata;
      const time = formatTime(measured.timestamp);
      const startTime = pod.status?.startTime ?? null;
      const containers = measured.containers.map((one) => ({ name: one.name, startTime, ...loadOf(one, time) }));
      const total = {
        cpu: measured.containers.reduce((sum, { cpu }) => sum + cpu, 0),
        memory: measured.containers.reduce((sum, { memory }) => sum + memory, 0),
      };
      return [{ podRef: { name: podName, namespace, uid }, startTime, containers, ...loadOf(total, time) }];
    }),
  };
}

const loadOf = ({ cpu, memory }: { readonly cpu: number; readonly memory: number }, time: string): object => ({
  cpu: { time, usageNanoCores: nano(cpu) },
  memory: { time, workingSetBytes: Math.round(memory), usageBytes: Math.round(memory) },
});

interface Sample {
  readonly labels?: string;
  readonly value: number;
  /** In milliseconds; a time that is not said is that of the scraping. */
  readonly time?: number;
}

/** The text of `/metrics/resource`, by upstream's names. */
export function resourceMetrics({ node, pods, usage }: Measured, work: WorkCounters): string {
  const lines: string[] = [];
  const metric = (name: string, type: string, samples: readonly Sample[]): void => {
    if (samples.length === 0) return;
    lines.push(`# TYPE ${name} ${type}`);
    for (const { labels = "", value, time } of samples) {
      lines.push(`${name}${labels} ${value}${time === undefined ? "" : ` ${time}`}`);
    }
  };
  const whole = usage.node(node);
  if (whole !== undefined) {
    const { name, uid = "", creationTimestamp = "" } = node.metadata;
    const time = whole.timestamp;
    const containers = pods.flatMap((pod) => containersOf(pod, usage, time));
    const own = { id: uid, cores: whole.cpu, begun: Date.parse(creationTimestamp) || time };
    const [ofNode = 0, ...seconds] = work.read(name, [own, ...containers], time);
    const each = (value: (index: number) => number): readonly Sample[] =>
      containers.map(({ labels }, index) => ({ labels, value: value(index), time }));
    metric(
      "container_cpu_usage_seconds_total",
      "counter",
      each((index) => seconds[index] ?? 0),
    );
    metric(
      "container_memory_working_set_bytes",
      "gauge",
      each((index) => containers[index]?.memory ?? 0),
    );
    metric(
      "container_start_time_seconds",
      "gauge",
      containers.map(({ labels, begun }) => ({ labels, value: begun / 1_000 })),
    );
    metric("node_cpu_usage_seconds_total", "counter", [{ value: ofNode, time }]);
    metric("node_memory_working_set_bytes", "gauge", [{ value: Math.round(whole.memory), time }]);
  }
  metric("resource_scrape_error", "gauge", [{ value: 0 }]);
  return `${lines.join("\n")}\n`;
}

/** The containers of a pod that are measured. */
function containersOf(pod: Pod, usage: Measurements, time: number): readonly (WorkLoad & Labelled)[] {
  const { name: podName, namespace, uid } = pod.metadata;
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...containerStatuses, ...initContainerStatuses];
  return (usage.pod(pod)?.containers ?? []).map(({ name, cpu, memory }) => {
    const startedAt = statuses.find((status) => status.name === name)?.state?.running?.startedAt ?? "";
    return {
      id: `${uid}/${name}/${startedAt}`,
      labels: `{container=${JSON.stringify(name)},namespace=${JSON.stringify(namespace)},pod=${JSON.stringify(podName)}}`,
      cores: cpu,
      memory: Math.round(memory),
      begun: Date.parse(startedAt) || time,
    };
  });
}

interface Labelled {
  readonly labels: string;
  readonly memory: number;
}

/** The text of `/metrics`. */
export const kubeletMetrics = (pods: readonly Pod[]): string => {
  const running = pods.filter(({ status }) => status?.phase === "Running");
  const containers = running.flatMap(({ status }) => status?.containerStatuses ?? []);
  const up = containers.filter(({ state }) => state?.running !== undefined).length;
  return [
    "# TYPE kubelet_running_pods gauge",
    `kubelet_running_pods ${running.length}`,
    "# TYPE kubelet_running_containers gauge",
    `kubelet_running_containers{container_state="running"} ${up}`,
    "",
  ].join("\n");
};
