/** kinds: the strategies of the built-in kinds. */
import type { KubeObject } from "../../../api/index.js";
import type { Strategy, UpdateStrategy } from "../../contracts/strategy.js";
import {
  mutatingBindingStrategy,
  mutatingPolicyStrategy,
  validatingBindingStrategy,
  validatingPolicyStrategy,
} from "./access/admission-policies.js";
import { apiServiceStrategy } from "./access/api-service.js";
import { certificateRequestStrategy } from "./access/certificates.js";
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from "./access/rbac.js";
import { mutatingWebhooksStrategy, validatingWebhooksStrategy } from "./access/webhooks.js";
import { daemonSetStrategy } from "./apps/daemon-set.js";
import { deploymentStrategy, replicaSetStrategy, replicationControllerStrategy } from "./apps/replicated.js";
import { controllerRevisionStrategy, statefulSetStrategy } from "./apps/stateful-set.js";
import { cronJobStrategy, jobStrategy } from "./batch/job.js";
import { namespaceStrategy, nodeStrategy, serviceAccountStrategy } from "./core/cluster.js";
import { configMapStrategy, secretStrategy } from "./core/config.js";
import { limitRangeStrategy, resourceQuotaStrategy } from "./core/limits.js";
import { endpointsStrategy, eventStrategy, podTemplateStrategy } from "./core/records.js";
import { deviceClassStrategy, resourceClaimStrategy, resourceClaimTemplateStrategy } from "./devices/claims.js";
import { resourceSliceStrategy } from "./devices/slices.js";
import { ipAddressStrategy, serviceCidrStrategy } from "./networking/address-ranges.js";
import { endpointSliceStrategy } from "./networking/endpoint-slice.js";
import { ingressClassStrategy, ingressStrategy } from "./networking/ingress.js";
import { networkPolicyStrategy } from "./networking/network-policy.js";
import { podStrategy } from "./pod/pod.js";
import { flowSchemaStrategy, priorityLevelStrategy } from "./policy/flow-control.js";
import {
  disruptionBudgetStrategy,
  leaseStrategy,
  priorityClassStrategy,
  runtimeClassStrategy,
} from "./policy/policies.js";
import { autoscalerStrategy } from "./scaling/autoscaler.js";
import { serviceStrategy } from "./service/service.js";
import {
  csiDriverStrategy,
  csiNodeStrategy,
  csiStorageCapacityStrategy,
  storageClassStrategy,
  volumeAttachmentStrategy,
  volumeAttributesClassStrategy,
} from "./storage/classes.js";
import { persistentVolumeClaimStrategy } from "./volumes/claims.js";
import { persistentVolumeStrategy } from "./volumes/persistent.js";
import { withoutNulls } from "./rules/formed.js";
import { warningsOf } from "./warnings/kind-warnings.js";

const strategies: readonly unknown[] = [
  podStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  daemonSetStrategy,
  statefulSetStrategy,
  controllerRevisionStrategy,
  jobStrategy,
  cronJobStrategy,
  serviceStrategy,
  namespaceStrategy,
  nodeStrategy,
  serviceAccountStrategy,
  configMapStrategy,
  secretStrategy,
  limitRangeStrategy,
  resourceQuotaStrategy,
  endpointsStrategy,
  eventStrategy,
  podTemplateStrategy,
  persistentVolumeStrategy,
  persistentVolumeClaimStrategy,
  ingressStrategy,
  ingressClassStrategy,
  networkPolicyStrategy,
  ipAddressStrategy,
  serviceCidrStrategy,
  endpointSliceStrategy,
  roleStrategy,
  clusterRoleStrategy,
  roleBindingStrategy,
  clusterRoleBindingStrategy,
  mutatingWebhooksStrategy,
  validatingWebhooksStrategy,
  validatingPolicyStrategy,
  validatingBindingStrategy,
  mutatingPolicyStrategy,
  mutatingBindingStrategy,
  apiServiceStrategy,
  certificateRequestStrategy,
  autoscalerStrategy,
  disruptionBudgetStrategy,
  priorityClassStrategy,
  leaseStrategy,
  runtimeClassStrategy,
  flowSchemaStrategy,
  priorityLevelStrategy,
  storageClassStrategy,
  volumeAttributesClassStrategy,
  csiDriverStrategy,
  csiNodeStrategy,
  csiStorageCapacityStrategy,
  volumeAttachmentStrategy,
  resourceClaimStrategy,
  resourceClaimTemplateStrategy,
  deviceClassStrategy,
  resourceSliceStrategy,
];

/** One strategy per group and kind that differs from the defaults. Validation rules never see a `null`. */
export const builtInStrategies: readonly Strategy[] = (strategies as readonly Strategy[]).map((strategy) => ({
  ...strategy,
  ...updatesWithoutNulls(strategy),
  ...(strategy.validateCreate && {
    validateCreate: (object, context) => strategy.validateCreate?.(withoutNulls(object), context) ?? [],
  }),
  ...warnings(strategy.kind),
  ...(strategy.status && { status: { ...strategy.status, ...updatesWithoutNulls(strategy.status) } }),
  ...(strategy.subresources && {
    subresources: Object.fromEntries(
      Object.entries(strategy.subresources).map(([name, updates]) => [name, updatesWithoutNulls(updates)]),
    ),
  }),
}));

function warnings(kind: string): Pick<Strategy, "warningsOnCreate" | "warningsOnUpdate"> {
  const say = warningsOf.get(kind);
  if (say === undefined) return {};
  return {
    warningsOnCreate: (object) => [...say(withoutNulls(object))],
    warningsOnUpdate: (object, old) => [...say(withoutNulls(object), withoutNulls(old))],
  };
}

function updatesWithoutNulls(updates: UpdateStrategy): UpdateStrategy {
  const { prepareForUpdate, validateUpdate } = updates;
  return {
    ...(prepareForUpdate && { prepareForUpdate }),
    ...(validateUpdate && {
      validateUpdate: (object: KubeObject, old: KubeObject, context) =>
        validateUpdate(withoutNulls(object), withoutNulls(old), context),
    }),
  };
}
