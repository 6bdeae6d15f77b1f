/** builtin: the controllers of upstream's kube-controller-manager. Takes a client, and runs them over shared informers. */
import {
  ClusterTrustBundle,
  IPAddress,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
  type ResourceType,
  ServiceCIDR,
  StorageVersionMigration,
  VolumeAttributesClass,
} from "../api/index.js";
import { defined } from "../base/defined.js";
import { AttachDetach } from "./attach-detach/controller.js";
import { bootstrapSigner, tokenCleaner } from "./bootstrap/controller.js";
import { approver, cleaner, signing } from "./certificates/controller.js";
import { trustBundlePublisher } from "./certificates/trust-bundle.js";
import { clusterRoleAggregationController } from "./clusterrole-aggregation/controller.js";
import { CronJobController } from "./cronjob/controller.js";
import { DaemonSetController } from "./daemonset/controller.js";
import { deploymentController } from "./deployment/controller.js";
import { DeviceTaintEviction } from "./device-taint-eviction/controller.js";
import { DisruptionController } from "./disruption/controller.js";
import { endpointsController, endpointSliceController } from "./endpoints/controller.js";
import { endpointSliceMirroringController } from "./endpoints-mirroring/controller.js";
import { ephemeralVolumeController } from "./ephemeral-volume/controller.js";
import { GarbageCollector } from "./gc/controller.js";
import { type AutoscalerSettings, PodAutoscaler } from "./hpa/controller.js";
import { JobController } from "./job/controller.js";
import type { ControllerDescriptor } from "./kit/context.js";
import { namespaceController } from "./namespace/controller.js";
import { nodeIpamController } from "./node-ipam/controller.js";
import { type NodeIpamSettings, NodeRanges } from "./node-ipam/plan.js";
import { nodeTtlController } from "./node-ttl/controller.js";
import { cloudNodeLifecycle } from "./simulated-cloud/lifecycle.js";
import { cloudNodes } from "./simulated-cloud/nodes.js";
import { nodeRoutes } from "./simulated-cloud/routes.js";
import { NodeLifecycleController } from "./nodelifecycle/controller.js";
import { policyStatusController } from "./policy-status/controller.js";
import { PodGc } from "./podgc/controller.js";
import { claimProtection } from "./protection/claims.js";
import { attributesClassProtection, volumeProtection } from "./protection/volumes.js";
import { ReplicaController } from "./replicaset/controller.js";
import { replicaSets, replicationControllers } from "./replicaset/kinds.js";
import { ResourceClaims } from "./resource-claim/controller.js";
import { resourceQuotaController } from "./resourcequota/controller.js";
import { serviceLoadBalancerController } from "./service/controller.js";
import { serviceCidrController } from "./service-cidr/controller.js";
import { rootCaPublisher, serviceAccountController } from "./serviceaccount/controller.js";
import { legacyTokenCleaner } from "./serviceaccount/legacy-cleaner.js";
import { tokenController } from "./serviceaccount/tokens.js";
import { simulatedStorage } from "./simulated-storage/controller.js";
import { simulatedProvisioner } from "./simulated-storage/provisioner.js";
import { StatefulSetController } from "./statefulset/controller.js";
import { storageVersionMigrator } from "./storage-migration/controller.js";
import { TaintEviction } from "./taint-eviction/controller.js";
import { ttlAfterFinishedController } from "./ttl-after-finished/controller.js";
import { volumeBinderController } from "./volume-binder/controller.js";
import { volumeExpander } from "./volume-expander/controller.js";

export type {
  BuiltInController,
  ClusterCredentials,
  ControllerContext,
  ControllerDescriptor,
  DescribedKind,
  PolicyKinds,
  PolicyWarnings,
  Recorder,
} from "./kit/context.js";
export { runControllers, type RunControllersOptions, type RunningControllers } from "./kit/run-controllers.js";
export { type AutoscalerSettings, type NodeIpamSettings, simulatedProvisioner };
export { selectControllers } from "./kit/select.js";

type Row = readonly [
  name: string,
  short: string,
  create: ControllerDescriptor["create"],
  needs?: readonly ResourceType[],
];

const autoscaling = (settings: Partial<AutoscalerSettings>): Row => [
  "horizontal-pod-autoscaler-controller",
  "horizontalpodautoscaling",
  (context) => new PodAutoscaler(context, settings),
];

/** Without settings it does not run. */
const nodeRanges = (settings?: NodeIpamSettings): Row => [
  "node-ipam-controller",
  "nodeipam",
  (context) => settings && nodeIpamController(context, settings),
];

const migrator = "storage-version-migrator-controller";
const bundlePublisher = "kube-apiserver-serving-clustertrustbundle-publisher-controller";

/** Names and short names as upstream has them. */
const table: readonly Row[] = [
  ["deployment-controller", "deployment", deploymentController],
  ["replicaset-controller", "replicaset", (context) => new ReplicaController(context, replicaSets)],
  [
    "replicationcontroller-controller",
    "replicationcontroller",
    (context) => new ReplicaController(context, replicationControllers),
  ],
  ["daemonset-controller", "daemonset", (context) => new DaemonSetController(context)],
  ["statefulset-controller", "statefulset", (context) => new StatefulSetController(context)],
  ["job-controller", "job", (context) => new JobController(context)],
  ["cronjob-controller", "cronjob", (context) => new CronJobController(context)],
  ["endpointslice-controller", "endpointslice", endpointSliceController],
  ["endpoints-controller", "endpoint", endpointsController],
  ["endpointslice-mirroring-controller", "endpointslicemirroring", endpointSliceMirroringController],
  ["service-lb-controller", "service", serviceLoadBalancerController],
  ["service-cidr-controller", "service-cidr", serviceCidrController, [ServiceCIDR, IPAddress]],
  ["disruption-controller", "disruption", (context) => new DisruptionController(context)],
  autoscaling({}),
  ["namespace-controller", "namespace", namespaceController],
  ["serviceaccount-controller", "serviceaccount", serviceAccountController],
  ["serviceaccount-token-controller", "serviceaccount-token", tokenController],
  ["legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner", legacyTokenCleaner],
  ["root-ca-certificate-publisher-controller", "root-ca-cert-publisher", rootCaPublisher],
  ["node-lifecycle-controller", "nodelifecycle", (context) => new NodeLifecycleController(context)],
  nodeRanges(),
  ["ttl-controller", "ttl", nodeTtlController],
  ["cloud-node-controller", "cloud-node", cloudNodes],
  ["cloud-node-lifecycle-controller", "cloud-node-lifecycle", cloudNodeLifecycle],
  ["node-route-controller", "route", nodeRoutes],
  ["taint-eviction-controller", "taint-eviction", (context) => new TaintEviction(context)],
  [
    "device-taint-eviction-controller",
    "device-taint-eviction",
    (context) => new DeviceTaintEviction(context),
    [ResourceClaim, ResourceSlice],
  ],
  ["pod-garbage-collector-controller", "podgc", (context) => new PodGc(context)],
  ["persistentvolumeclaim-protection-controller", "pvc-protection", claimProtection],
  ["certificatesigningrequest-approving-controller", "csrapproving", approver],
  ["certificatesigningrequest-signing-controller", "csrsigning", signing],
  ["certificatesigningrequest-cleaner-controller", "csrcleaner", cleaner],
  [
    "resourceclaim-controller",
    "resource-claim-controller",
    (context) => new ResourceClaims(context),
    [ResourceClaim, ResourceClaimTemplate],
  ],
  ["resourcequota-controller", "resourcequota", resourceQuotaController],
  ["clusterrole-aggregation-controller", "clusterrole-aggregation", clusterRoleAggregationController],
  ["validatingadmissionpolicy-status-controller", "validatingadmissionpolicy-status", policyStatusController],
  ["persistentvolume-protection-controller", "pv-protection", volumeProtection],
  ["volumeattributesclass-protection-controller", "vac-protection", attributesClassProtection, [VolumeAttributesClass]],
  ["ephemeral-volume-controller", "ephemeral-volume", ephemeralVolumeController],
  ["persistentvolume-attach-detach-controller", "attachdetach", (context) => new AttachDetach(context)],
  ["persistentvolume-expander-controller", "persistentvolume-expander", volumeExpander],
  ["persistentvolume-binder-controller", "persistentvolume-binder", volumeBinderController],
  ["simulated-volume-provisioner", "volume-provisioner", simulatedStorage],
  // their kinds are served, and they work, where a feature gate says so
  [migrator, "svm", () => undefined],
  [bundlePublisher, "clustertrustbundle-publisher", () => undefined],
  ["ttl-after-finished-controller", "ttl-after-finished", ttlAfterFinishedController],
  ["garbage-collector-controller", "garbagecollector", (context) => new GarbageCollector(context)],
];

const descriptorOf = ([name, short, create, needs]: Row): ControllerDescriptor => ({
  name,
  aliases: [short],
  create,
  ...defined({ needs }),
});

/** Controllers that have to be asked for by name. */
const askedFor: readonly Row[] = [
  ["bootstrap-signer-controller", "bootstrapsigner", bootstrapSigner],
  ["token-cleaner-controller", "tokencleaner", tokenCleaner],
];

/** All built-in controllers, in the order in which they are made. */
export const builtInControllers: readonly ControllerDescriptor[] = [
  ...table.map(descriptorOf),
  ...askedFor.map((row) => ({ ...descriptorOf(row), disabledByDefault: true })),
];

/** The horizontal pod autoscaler with other settings than the defaults of kube-controller-manager's flags. */
export const podAutoscaler = (settings: Partial<AutoscalerSettings>): ControllerDescriptor =>
  descriptorOf(autoscaling(settings));

/** The controller that gives nodes ranges for their pods. Throws if the settings contradict each other. */
export function nodeIpam(settings: NodeIpamSettings): ControllerDescriptor {
  void new NodeRanges(settings);
  return descriptorOf(nodeRanges(settings));
}

/** The storage version migrator, for servers with the feature gate of this name. */
export const storageMigrator: ControllerDescriptor = descriptorOf([
  migrator,
  "svm",
  storageVersionMigrator,
  [StorageVersionMigration],
]);

/** The publisher of the API server's trust anchors, for servers with the feature gate `ClusterTrustBundle`. */
export const trustBundles: ControllerDescriptor = descriptorOf([
  bundlePublisher,
  "clustertrustbundle-publisher",
  trustBundlePublisher,
  [ClusterTrustBundle],
]);
