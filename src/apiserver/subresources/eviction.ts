/** `pods/eviction`: deletes a pod if its disruption budget allows it. */
import { defined } from "../../base/defined.js";
import {
  type Condition,
  type Eviction,
  findCondition,
  formatTime,
  isConditionTrue,
  isConflict,
  isDeleting,
  labelSelectorAsSelector,
  newBadRequest,
  type NewCondition,
  newFailure,
  newForbidden,
  newNotFound,
  type Pod,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  setCondition,
  StatusError,
} from "../../api/index.js";
import { parseWriteOptions } from "../http/body.js";
import { bodyOf, writeScope } from "../http/exchange.js";
import type { Verb } from "../http/verbs.js";
import { type Endpoint, inNamespaceOf } from "../contracts/endpoint.js";
import type { Registry } from "../registry/registry.js";
import type { RequestScope } from "../contracts/scope.js";
import { mutate, validate } from "../registry/write/admit.js";
import { checkPreconditions, deleteObject } from "../registry/write/delete.js";
import { checkDeleteOptions, type DeleteOptions } from "../registry/write/delete-options.js";
import { modifyObject } from "../registry/write/modify.js";
import { createdAnswer } from "./created.js";

const kind = { group: "policy", version: "v1", kind: "Eviction" } as const;
const budgets = { group: "policy", resource: "poddisruptionbudget" };
const maxDisruptedPods = 2000;

export const evictionVerb: Verb = async ({ exchange, endpoint, info }) => {
  const { namespace, name } = info;
  const options = parseWriteOptions(exchange.query, "CreateOptions");
  const validation = options.fieldValidation;
  const reading = { expected: kind, orOf: "policy/v1beta1", validation };
  const sent = inNamespaceOf(await bodyOf(exchange, endpoint, reading), namespace);
  const target = { endpoint, namespace, name, subresource: "eviction", scope: writeScope(exchange, options) };
  const object = await mutate(target, { operation: "CREATE", object: sent });
  const eviction = object as Eviction;
  if (eviction.metadata.name !== name) throw newBadRequest("name in URL does not match name in Eviction object");
  await validate(target, { operation: "CREATE", object });
  const deletion = eviction.deleteOptions ?? {};
  const scope = writeScope(exchange, { ...options, dryRun: options.dryRun || (deletion.dryRun ?? []).length > 0 });
  for (;;) {
    const pod = scope.machinery.store.get(endpoint.collection, `${namespace}/${name}`)?.object as Pod | undefined;
    if (pod === undefined) throw newNotFound({ group: "", resource: "pods" }, name);
    const leave: Leave = ignoresBudget(pod)
      ? { asJudged: pod.status?.phase === "Pending" && !isDeleting(pod) }
      : await askBudget(pod, { registry: exchange.registry, scope });
    const asked = deletion.preconditions?.resourceVersion;
    const resourceVersion = asked ?? (leave.asJudged ? pod.metadata.resourceVersion : undefined);
    try {
      await remove(endpoint, { namespace, name, deletion, resourceVersion, scope });
      return createdAnswer(exchange);
    } catch (error) {
      if (!isConflict(error) || !leave.asJudged || asked !== undefined) throw error;
      // the pod may be healthy by now: with a budget the client is told to retry, without one the deletion is tried
      // again
      if (leave.budget !== undefined) throw stillProcessed(leave.budget);
    }
  }
};

/** The ground on which a pod may be evicted. */
interface Leave {
  /** True if the pod must still be as it was judged: it may have become healthy since. */
  readonly asJudged: boolean;
  readonly budget?: string;
}

interface Removal {
  readonly namespace: string;
  readonly name: string;
  readonly deletion: DeleteOptions;
  readonly resourceVersion: string | undefined;
  readonly scope: RequestScope;
}

/** Records the reason on the pod, and deletes it. */
async function remove(endpoint: Endpoint, { deletion, resourceVersion, ...target }: Removal): Promise<void> {
  const { namespace, name, scope } = target;
  checkDeleteOptions(deletion);
  const { uid } = deletion.preconditions ?? {};
  const wanted = (version: string | undefined): DeleteOptions => ({
    ...deletion,
    preconditions: defined({ uid, resourceVersion: version }),
  });
  const { object } = await modifyObject(endpoint, { namespace, name }, scope, (current) => {
    checkPreconditions(endpoint, current, wanted(resourceVersion));
    return withDisruption(current as Pod, formatTime(scope.machinery.clock.now()));
  });
  const now = resourceVersion === undefined ? undefined : object.metadata.resourceVersion;
  await deleteObject({ endpoint, namespace, name, options: wanted(now), scope, admitted: true });
}

/** A pod that is finished, pending or being deleted needs no budget. */
function ignoresBudget({ status, metadata }: Pod): boolean {
  const phase = status?.phase ?? "";
  return phase === "Succeeded" || phase === "Failed" || phase === "Pending" || metadata.deletionTimestamp !== undefined;
}

const isReady = ({ status }: Pod): boolean => isConditionTrue(status?.conditions, "Ready");

async function askBudget(
  pod: Pod,
  { registry, scope }: { readonly registry: Registry; readonly scope: RequestScope },
): Promise<Leave> {
  const endpoint = registry.endpoint("policy", "v1", "poddisruptionbudgets");
  if (endpoint === undefined) return { asJudged: false };
  const { namespace = "" } = pod.metadata;
  const matching = scope.machinery.store
    .list({ collection: endpoint.collection, prefix: `${namespace}/`, from: "" })
    .items.map(({ object }) => object as PodDisruptionBudget)
    .filter(
      ({ spec }) => spec?.selector !== undefined && labelSelectorAsSelector(spec.selector).matches(pod.metadata.labels),
    );
  if (matching.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw newFailure({ message, code: 500 });
  }
  const [budget] = matching;
  if (budget === undefined) return { asJudged: false };
  if (unhealthyMayGo(pod, budget)) return { asJudged: true, budget: budget.metadata.name };
  await takeFromBudget(endpoint, budget, { pod, scope });
  return { asJudged: false };
}

function unhealthyMayGo(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (isReady(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

async function takeFromBudget(
  endpoint: Endpoint,
  { metadata: { name, namespace = "" } }: PodDisruptionBudget,
  { pod, scope }: { readonly pod: Pod; readonly scope: RequestScope },
): Promise<void> {
  const own = { ...scope, manager: "kube-apiserver" };
  await modifyObject(endpoint, { namespace, name, ownedAs: "status" }, own, (current) => {
    const { metadata, status = {} } = current as PodDisruptionBudget;
    const { disruptionsAllowed = 0, disruptedPods = {}, observedGeneration = 0 } = status;
    if (observedGeneration < (metadata.generation ?? 0)) {
      throw stillProcessed(name);
    }
    if (disruptionsAllowed < 0) throw newForbidden(budgets, name, "pdb disruptions allowed is negative");
    if (Object.keys(disruptedPods).length > maxDisruptedPods) {
      throw newForbidden(
        budgets,
        name,
        "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
      );
    }
    if (disruptionsAllowed === 0) {
      throw tooMany(`The disruption budget ${name} ${whyNone(status)}`, 0);
    }
    const now = formatTime(scope.machinery.clock.now());
    const left = disruptionsAllowed - 1;
    const taken = {
      ...status,
      disruptionsAllowed: left,
      disruptedPods: { ...disruptedPods, [pod.metadata.name]: now },
      conditions: setCondition(status.conditions, allowance(left, observedGeneration), now),
    };
    return { ...current, status: taken } as PodDisruptionBudget;
  });
}

/** Explains why the budget allows no disruption. Its counts are not trustworthy if its controller has failed. */
function whyNone({ desiredHealthy = 0, currentHealthy = 0, conditions = [] }: PodDisruptionBudgetStatus): string {
  const refused = findCondition(conditions, "DisruptionAllowed");
  const { reason, message = "" } = refused?.status === "False" ? refused : ({} as Partial<Condition>);
  if (reason === "SyncFailed" && message !== "") {
    return `does not allow evicting pods currently because it failed sync: ${message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return `does not allow evicting pods currently${message === "" ? "" : ` (${reason}): ${message}`}`;
}

/** The condition that tells whether further disruptions are allowed. */
function allowance(left: number, observedGeneration: number): NewCondition {
  const [status, reason] = left > 0 ? (["True", "SufficientPods"] as const) : (["False", "InsufficientPods"] as const);
  return { type: "DisruptionAllowed", status, observedGeneration, reason, message: "" };
}

const stillProcessed = (budget: string): StatusError =>
  tooMany(`The disruption budget ${budget} is still being processed by the server.`, 10);

function tooMany(cause: string, retryAfterSeconds: number): StatusError {
  return newFailure({
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: "TooManyRequests",
    details: {
      causes: [{ reason: "DisruptionBudget", message: cause }],
      ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
    },
    code: 429,
  });
}

function withDisruption(pod: Pod, now: string): Pod {
  const target = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null as never,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  } as const;
  return { ...pod, status: { ...pod.status, conditions: setCondition(pod.status?.conditions, target, now) } };
}
