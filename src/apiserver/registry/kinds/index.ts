/** kinds: the strategies of the built-in kinds. */
import type { Strategy } from "../../contracts/strategy.js";
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
  ...warnings(strategy.kind),
  forRules: withoutNulls,
}));

function warnings(kind: string): Pick<Strategy, "warningsOnCreate" | "warningsOnUpdate"> {
  const say = warningsOf.get(kind);
  if (say === undefined) return {};
  return {
    warningsOnCreate: (object) => firstOf(say(object)),
    warningsOnUpdate: (object, old) => firstOf(say(object, old)),
  };
}

/** An answer has room for far fewer: their text is cut at 4,096 characters. Pairs of items may cause millions. */
const mostWarnings = 1_000;

function firstOf(warnings: Iterable<string>): readonly string[] {
  const first: string[] = [];
  for (const warning of warnings) if (first.push(warning) === mostWarnings) break;
  return first;
}
