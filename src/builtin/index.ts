/** builtin: the controllers of upstream's kube-controller-manager. Takes a client, and runs them over shared informers. */
import { claimProtectionController } from "./claim-protection/index.js";
import { clusterRoleAggregationController } from "./clusterrole-aggregation/index.js";
import { cronJobController } from "./cronjob/index.js";
import { daemonSetController } from "./daemonset/index.js";
import { deploymentController } from "./deployment/index.js";
import { disruptionController } from "./disruption/index.js";
import { endpointsController, endpointSliceController } from "./endpoints/index.js";
import { endpointSliceMirroringController } from "./endpoints-mirroring/index.js";
import { garbageCollectorController } from "./gc/index.js";
import type { ControllerDescriptor } from "./kit/context.js";
import { jobController } from "./job/index.js";
import { namespaceController } from "./namespace/index.js";
import { nodeLifecycleController } from "./nodelifecycle/index.js";
import { podGcController } from "./podgc/index.js";
import { replicaSetController, replicationController } from "./replicaset/index.js";
import { resourceQuotaController } from "./resourcequota/index.js";
import { serviceLoadBalancerController } from "./service/index.js";
import { rootCaCertPublisher, serviceAccountController } from "./serviceaccount/index.js";
import { serviceAccountTokenController } from "./serviceaccount/tokens.js";
import { statefulSetController } from "./statefulset/index.js";
import { taintEvictionController } from "./taint-eviction/index.js";
import { ttlAfterFinishedController } from "./ttl-after-finished/index.js";
import { volumeBinderController } from "./volume-binder/index.js";
import { simulatedProvisioner, volumeProvisionerController } from "./volume-binder/provisioner.js";
import { attributesClassProtectionController, volumeProtectionController } from "./volume-protection/index.js";

export type {
  BuiltInController,
  ClusterCredentials,
  ControllerContext,
  ControllerDescriptor,
  Recorder,
} from "./kit/context.js";
export { runControllers, type RunControllersOptions, type RunningControllers } from "./kit/run-controllers.js";
export { simulatedProvisioner };
export { selectControllers } from "./kit/select.js";

/** All built-in controllers, in the order in which they are made. */
export const builtInControllers: readonly ControllerDescriptor[] = [
  deploymentController,
  replicaSetController,
  replicationController,
  daemonSetController,
  statefulSetController,
  jobController,
  cronJobController,
  endpointSliceController,
  endpointsController,
  endpointSliceMirroringController,
  serviceLoadBalancerController,
  disruptionController,
  namespaceController,
  serviceAccountController,
  serviceAccountTokenController,
  rootCaCertPublisher,
  nodeLifecycleController,
  taintEvictionController,
  podGcController,
  claimProtectionController,
  resourceQuotaController,
  clusterRoleAggregationController,
  volumeProtectionController,
  attributesClassProtectionController,
  volumeBinderController,
  volumeProvisionerController,
  ttlAfterFinishedController,
  garbageCollectorController,
];
