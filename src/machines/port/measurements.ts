/** The measurements of a simulated node as its kubelet serves them: the summary, and the resource metrics. */
import { formatTime, type Node, type Pod } from "../../api/index.js";
import type { Measurements } from "../usage/usage.js";

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

/** The text of `/metrics/resource`, by upstream's names. Work is counted as if it had been the same since the start. */
export function resourceMetrics({ node, pods, usage }: Measured, now: number): string {
  const lines: string[] = [];
  const metric = (name: string, type: string, samples: readonly (readonly [string, number, number])[]): void => {
    if (samples.length === 0) return;
    lines.push(`# TYPE ${name} ${type}`);
    for (const [labels, value, time] of samples) lines.push(`${name}${labels} ${value} ${time}`);
  };
  const containers = pods.flatMap((pod) => {
    const measured = usage.pod(pod);
    const begun = Date.parse(pod.status?.startTime ?? "") || now;
    const { name, namespace } = pod.metadata;
    return (measured?.containers ?? []).map((one) => ({
      labels: `{container=${JSON.stringify(one.name)},namespace=${JSON.stringify(namespace)},pod=${JSON.stringify(name)}}`,
      cpu: (one.cpu * Math.max(0, now - begun)) / 1_000,
      memory: Math.round(one.memory),
      time: measured?.timestamp ?? now,
    }));
  });
  const whole = usage.node(node);
  const begun = Date.parse(node.metadata.creationTimestamp ?? "") || now;
  const work =
    whole === undefined ? [] : [["", (whole.cpu * Math.max(0, now - begun)) / 1_000, whole.timestamp] as const];
  const memory = whole === undefined ? [] : [["", Math.round(whole.memory), whole.timestamp] as const];
  metric(
    "container_cpu_usage_seconds_total",
    "counter",
    containers.map(({ labels, cpu, time }) => [labels, cpu, time]),
  );
  metric(
    "container_memory_working_set_bytes",
    "gauge",
    containers.map(({ labels, memory: bytes, time }) => [labels, bytes, time]),
  );
  metric("node_cpu_usage_seconds_total", "counter", work);
  metric("node_memory_working_set_bytes", "gauge", memory);
  lines.push("# TYPE resource_scrape_error gauge", "resource_scrape_error 0");
  return `${lines.join("\n")}\n`;
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
