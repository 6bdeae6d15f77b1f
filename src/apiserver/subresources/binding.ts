/** `bindings` and `pods/binding`: assigns a pod to a node, for schedulers. */
import { topologyLabels } from "../admission/pod-runtime.js";
import {
  type Binding,
  fieldPath,
  formatTime,
  type KubeObject,
  newBadRequest,
  newConflict,
  newFailure,
  newNotFound,
  type Pod,
  printFieldErrors,
  setCondition,
} from "../../api/index.js";
import { parseWriteOptions } from "../http/body.js";
import { bodyOf, ownedBy, writeScope } from "../http/exchange.js";
import type { Verb } from "../http/verbs.js";
import { inNamespaceOf, preconditionFailed } from "../contracts/endpoint.js";
import { mutate, validate } from "../registry/write/admit.js";
import type { WithSpec } from "../registry/kinds/rules/formed.js";
import { modifyObject } from "../registry/write/modify.js";
import { createdAnswer } from "./created.js";

const kind = { group: "", version: "v1", kind: "Binding" } as const;

export const bindingVerb: Verb = async ({ exchange, endpoint, info }) => {
  const { registry, machinery } = exchange;
  const pods = registry.endpoint("", "v1", "pods");
  if (pods === undefined) throw newNotFound({ group: "", resource: "pods" }, info.name);
  const options = parseWriteOptions(exchange.query, "CreateOptions");
  const reading = { expected: kind, validation: options.fieldValidation };
  const { namespace, subresource } = info;
  const sent = inNamespaceOf(await bodyOf(exchange, pods, reading), namespace);
  const scope = writeScope(exchange, options);
  const owned = ownedBy(exchange, endpoint, sent, subresource);
  const request = { endpoint, namespace, name: info.name || (sent.metadata.name ?? ""), subresource, scope };
  const binding = (await mutate(request, { operation: "CREATE", object: owned })) as Binding;
  const name = binding.metadata.name ?? "";
  if (subresource !== "" && name !== info.name) {
    throw newBadRequest("name in URL does not match name in Binding object");
  }
  checkTarget(binding);
  await validate(request, { operation: "CREATE", object: binding });
  if (name === "") throw newBadRequest("Name parameter required.");
  const node = binding.target?.name ?? "";
  const now = formatTime(machinery.clock.now());
  const topology = binding.target?.kind === "Node" ? topologyLabels(machinery.store, node) : {};
  // the uid is a precondition only at the pod's own subresource, as upstream
  const wanted = subresource === "" ? { ...binding.metadata, uid: "" } : binding.metadata;
  await modifyObject(pods, { namespace, name }, scope, (pod) => {
    const failed = unmet(wanted, pod.metadata);
    if (failed !== undefined) throw preconditionFailed(pods, { namespace, name, dryRun: scope.dryRun }, failed);
    const problem = whyNot(pod as WithSpec<Pod>);
    if (problem !== undefined) throw newConflict({ group: "", resource: "pods/binding" }, name, problem);
    return bound(pod as WithSpec<Pod>, binding, { node, now, topology });
  });
  return createdAnswer(exchange);
};

/** As upstream, a binding that is refused for its target gets a 500 without a reason. */
function checkTarget({ target = {} }: Partial<Binding>): void {
  const at = fieldPath("target");
  const faults = [];
  if (target.kind && target.kind !== "Node")
    faults.push(at.child("kind").notSupported(target.kind, ["Node", "<empty>"]));
  if (!target.name) faults.push(at.child("name").required());
  if (faults.length > 0) throw newFailure({ message: printFieldErrors(faults), code: 500 });
}

type Wanted = Pick<KubeObject["metadata"], "uid" | "resourceVersion">;

/** The precondition of the binding that the pod does not fulfil. */
function unmet({ uid, resourceVersion }: Wanted, found: Wanted): string | undefined {
  if (uid && uid !== found.uid) return `UID in precondition: ${uid}, UID in object meta: ${found.uid}`;
  if (resourceVersion && resourceVersion !== found.resourceVersion)
    return `ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${found.resourceVersion}`;
  return undefined;
}

function whyNot({ metadata, spec }: WithSpec<Pod>): string | undefined {
  if (metadata.deletionTimestamp !== undefined)
    return `pod ${metadata.name} is being deleted, cannot be assigned to a host`;
  if (spec.nodeName) return `pod ${metadata.name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
  return (spec.schedulingGates ?? []).length > 0
    ? `pod ${metadata.name} has non-empty .spec.schedulingGates`
    : undefined;
}

function bound(
  pod: WithSpec<Pod>,
  binding: Binding,
  {
    node,
    now,
    topology,
  }: { readonly node: string; readonly now: string; readonly topology: Readonly<Record<string, string>> },
): Pod {
  // a bound pod is no longer nominated for a node
  const { nominatedNodeName: _, conditions, ...status } = pod.status ?? {};
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null as never } as const;
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
    status: { ...status, conditions: setCondition(conditions, scheduled, now) },
  };
}
