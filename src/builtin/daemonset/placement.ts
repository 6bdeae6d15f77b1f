/** Which nodes a DaemonSet's pods belong on: takes the template and a node, gives whether a pod should run there. Pure. */
import {
  type DaemonSet,
  type Draft,
  type Node,
  type Pod,
  type PodSpec,
  requiredNodes,
  type Toleration,
  untoleratedTaint,
} from "../../api/index.js";
import { revisionHashLabel } from "../history/revisions.js";
import { podFromTemplate } from "../pods/template.js";
import { defined } from "../../base/defined.js";

const templateGenerationAnnotation = "deprecated.daemonset.template.generation";
export const templateGenerationLabel = "pod-template-generation";

export function templateGeneration(set: DaemonSet): string | undefined {
  return set.metadata.annotations?.[templateGenerationAnnotation];
}

const always = (key: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({ key, operator: "Exists", effect });

/** Adds the tolerations that every daemon gets: daemons also run on nodes with problems, which they may be there to solve. */
function daemonTolerations({ hostNetwork, tolerations = [] }: PodSpec): readonly Toleration[] {
  const added = [
    always("node.kubernetes.io/not-ready", "NoExecute"),
    always("node.kubernetes.io/unreachable", "NoExecute"),
    always("node.kubernetes.io/disk-pressure", "NoSchedule"),
    always("node.kubernetes.io/memory-pressure", "NoSchedule"),
    always("node.kubernetes.io/pid-pressure", "NoSchedule"),
    always("node.kubernetes.io/unschedulable", "NoSchedule"),
    ...(hostNetwork === true ? [always("node.kubernetes.io/network-unavailable", "NoSchedule")] : []),
  ];
  const same = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? "") === (b.value ?? "");
  // a toleration of the template that equals an added one, apart from its duration, is replaced in its place
  const own = tolerations.map((one) => added.find((other) => same(one, other)) ?? one);
  return [...own, ...added.filter((one) => !own.includes(one))];
}

export interface Fit {
  /** True if a pod should be created on the node. */
  readonly shouldRun: boolean;
  /** True if a pod that is on the node may stay. */
  readonly shouldContinue: boolean;
}

/** Ignores resources and ports: whether the pod fits now is the scheduler's decision. */
export function fitOf(set: DaemonSet): (node: Node) => Fit {
  const spec = set.spec?.template.spec ?? { containers: [] };
  const tolerations = daemonTolerations(spec);
  const matches = requiredNodes(spec);
  const pinned = spec.nodeName ?? "";
  return (node) => {
    if ((pinned !== "" && pinned !== node.metadata.name) || !matches(node))
      return { shouldRun: false, shouldContinue: false };
    const { taints } = node.spec ?? {};
    if (untoleratedTaint(taints, tolerations, ["NoSchedule", "NoExecute"]) === undefined) {
      return { shouldRun: true, shouldContinue: true };
    }
    return { shouldRun: false, shouldContinue: untoleratedTaint(taints, tolerations, ["NoExecute"]) === undefined };
  };
}

/** A pod for one node, with a node affinity that only this node satisfies; the scheduler then binds it. */
export function daemonPod(set: DaemonSet, node: string, hash: string): Draft<Pod> {
  const template = set.spec?.template ?? {};
  const generation = templateGeneration(set);
  const pod = podFromTemplate(template, set);
  const spec = pod.spec ?? { containers: [] };
  const pinned = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] } as const;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...defined({ [templateGenerationLabel]: generation }),
        [revisionHashLabel]: hash,
      },
    },
    spec: {
      ...spec,
      tolerations: daemonTolerations(spec),
      affinity: {
        ...spec.affinity,
        nodeAffinity: {
          ...spec.affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [pinned] },
        },
      },
    },
  };
}

/** The node that a pod is bound to, or is meant for while it waits for the scheduler. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms) {
    for (const { key, operator, values = [] } of matchFields) {
      if (key === "metadata.name" && operator === "In" && values.length === 1) return values[0];
    }
  }
  return undefined;
}
