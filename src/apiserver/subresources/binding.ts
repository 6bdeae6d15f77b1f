/** `bindings` and `pods/binding`: assigns a pod to a node, for schedulers. */
import { topologyLabels } from "../admission/pod-runtime.js";
import { type KubeObject, newConflict, newNotFound } from "../../api/index.js";
import { parseWriteOptions } from "../http/body.js";
import { bodyOf, ownedBy, writeScope } from "../http/exchange.js";
import type { Verb } from "../http/verbs.js";
import { timestamp } from "../contracts/scope.js";
import { admitted } from "../registry/write/admit.js";
import { modifyObject } from "../registry/write/modify.js";
import { createdAnswer } from "./created.js";

interface Binding extends KubeObject {
  readonly target: { readonly kind?: string; readonly name?: string };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

interface BoundPod extends KubeObject {
  readonly spec: { readonly nodeName?: string; readonly schedulingGates?: readonly unknown[] };
  readonly status?: { readonly nominatedNodeName?: string; readonly conditions?: readonly Condition[] };
}

const kind = { group: "", version: "v1", kind: "Binding" } as const;

export const bindingVerb: Verb = async ({ exchange, endpoint, info }) => {
  const { registry, machinery } = exchange;
  const pods = registry.endpoint("", "v1", "pods");
  if (pods === undefined) throw newNotFound({ group: "", resource: "pods" }, info.name);
  const options = parseWriteOptions(exchange.query, "CreateOptions");
  const reading = { expected: kind, validation: options.fieldValidation };
  const sent = (await bodyOf(exchange, pods, reading)) as Binding;
  const name = info.name === "" ? sent.metadata.name : info.name;
  const { namespace, subresource } = info;
  const scope = writeScope(exchange, options);
  const owned = ownedBy(exchange, endpoint, sent, subresource);
  const binding = (await admitted({ endpoint, namespace, name, subresource, scope }, "CREATE", owned)) as Binding;
  const node = binding.target?.name ?? "";
  const now = timestamp(machinery.clock.now());
  const topology = binding.target?.kind === "Node" ? topologyLabels(machinery.store, node) : {};
  await modifyObject(pods, { namespace, name }, scope, (pod) => {
    const problem = whyNot(pod as BoundPod, node);
    if (problem !== undefined) throw newConflict({ group: "", resource: "pods/binding" }, name, problem);
    return bound(pod as BoundPod, binding, { node, now, topology });
  });
  return createdAnswer(exchange);
};

function whyNot({ metadata, spec }: BoundPod, node: string): string | undefined {
  if (metadata.deletionTimestamp !== undefined)
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  if (spec.nodeName) return `pod ${metadata.name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
  if ((spec.schedulingGates ?? []).length > 0) return `pod ${metadata.name} has non-empty .spec.schedulingGates`;
  return node === "" ? `pod ${metadata.name} needs a node` : undefined;
}

function bound(
  pod: BoundPod,
  binding: Binding,
  {
    node,
    now,
    topology,
  }: { readonly node: string; readonly now: string; readonly topology: Readonly<Record<string, string>> },
): BoundPod {
  // a bound pod is no longer nominated for a node
  const { nominatedNodeName: _, conditions = [], ...status } = pod.status ?? {};
  const scheduled: Condition = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now };
  const { annotations } = binding.metadata;
  const labels = { ...binding.metadata.labels, ...topology };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations === undefined ? {} : { annotations: { ...pod.metadata.annotations, ...annotations } }),
      ...(Object.keys(labels).length === 0 ? {} : { labels: { ...pod.metadata.labels, ...labels } }),
    },
    spec: { ...pod.spec, nodeName: node },
    status: {
      ...status,
      conditions: conditions.some(({ type }) => type === "PodScheduled")
        ? conditions.map((one) => (one.type === "PodScheduled" ? scheduled : one))
        : [...conditions, scheduled],
    },
  };
}
