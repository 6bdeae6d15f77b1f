/** table: the table that kubectl shows for each kind. Pure: takes an object and the time, gives cells. */
import { lookup } from "../../base/members.js";
import type { GroupVersionKind } from "../../api/index.js";
import type { TableRenderer } from "../contracts/table.js";
import { horizontalPodAutoscalerTable, oldHorizontalPodAutoscalerTable } from "./autoscaling.js";
import * as cluster from "./cluster.js";
import { defaultTable } from "./kind-table.js";
import * as machinery from "./machinery.js";
import * as network from "./network.js";
import { podTable } from "./pods.js";
import * as storage from "./storage.js";
import * as workloads from "./workloads.js";

export { scaleTable } from "./autoscaling.js";
export { customTable } from "./custom.js";
export { humanDuration } from "./human.js";
export { parseJsonPath } from "./json-path.js";
export { defaultTable } from "./kind-table.js";

/** The key is `group/Kind`, or `group/version/Kind` where versions differ. */
const tables: Readonly<Record<string, TableRenderer>> = lookup({
  "/ComponentStatus": cluster.componentStatusTable,
  "/ConfigMap": cluster.configMapTable,
  "/Endpoints": network.endpointsTable,
  "/Event": cluster.eventTable,
  "/Namespace": cluster.namespaceTable,
  "/Node": cluster.nodeTable,
  "/PersistentVolume": storage.persistentVolumeTable,
  "/PersistentVolumeClaim": storage.persistentVolumeClaimTable,
  "/Pod": podTable,
  "/PodTemplate": workloads.podTemplateTable,
  "/ReplicationController": workloads.replicationControllerTable,
  "/ResourceQuota": cluster.resourceQuotaTable,
  "/Secret": cluster.secretTable,
  "/Service": network.serviceTable,
  "/ServiceAccount": cluster.serviceAccountTable,
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": machinery.mutatingPolicyTable,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": machinery.policyBindingTable,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": machinery.webhookConfigurationTable,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": machinery.validatingPolicyTable,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": machinery.policyBindingTable,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": machinery.webhookConfigurationTable,
  "apiregistration.k8s.io/APIService": machinery.apiServiceTable,
  "apps/ControllerRevision": workloads.controllerRevisionTable,
  "apps/DaemonSet": workloads.daemonSetTable,
  "apps/Deployment": workloads.deploymentTable,
  "apps/ReplicaSet": workloads.replicaSetTable,
  "apps/StatefulSet": workloads.statefulSetTable,
  "autoscaling/HorizontalPodAutoscaler": horizontalPodAutoscalerTable,
  "autoscaling/v1/HorizontalPodAutoscaler": oldHorizontalPodAutoscalerTable,
  "batch/CronJob": workloads.cronJobTable,
  "batch/Job": workloads.jobTable,
  "certificates.k8s.io/CertificateSigningRequest": machinery.certificateSigningRequestTable,
  "coordination.k8s.io/Lease": cluster.leaseTable,
  "discovery.k8s.io/EndpointSlice": network.endpointSliceTable,
  "events.k8s.io/Event": cluster.newEventTable,
  "flowcontrol.apiserver.k8s.io/FlowSchema": machinery.flowSchemaTable,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": machinery.priorityLevelTable,
  "networking.k8s.io/IPAddress": network.ipAddressTable,
  "networking.k8s.io/Ingress": network.ingressTable,
  "networking.k8s.io/IngressClass": network.ingressClassTable,
  "networking.k8s.io/NetworkPolicy": network.networkPolicyTable,
  "networking.k8s.io/ServiceCIDR": network.serviceCidrTable,
  "node.k8s.io/RuntimeClass": cluster.runtimeClassTable,
  "policy/PodDisruptionBudget": workloads.podDisruptionBudgetTable,
  "rbac.authorization.k8s.io/ClusterRoleBinding": machinery.roleBindingTable,
  "rbac.authorization.k8s.io/RoleBinding": machinery.roleBindingTable,
  "resource.k8s.io/DeviceClass": machinery.nameAndAgeTable,
  "resource.k8s.io/ResourceClaim": machinery.resourceClaimTable,
  "resource.k8s.io/ResourceClaimTemplate": machinery.nameAndAgeTable,
  "resource.k8s.io/ResourceSlice": machinery.resourceSliceTable,
  "scheduling.k8s.io/PriorityClass": cluster.priorityClassTable,
  "storage.k8s.io/CSIDriver": storage.csiDriverTable,
  "storage.k8s.io/CSINode": storage.csiNodeTable,
  "storage.k8s.io/StorageClass": storage.storageClassTable,
  "storage.k8s.io/VolumeAttachment": storage.volumeAttachmentTable,
  "storage.k8s.io/VolumeAttributesClass": storage.volumeAttributesClassTable,
});

/** The table of a built-in kind; kinds without one get name and creation time. */
export function tableOf({ group, version, kind }: GroupVersionKind): TableRenderer {
  return tables[`${group}/${version}/${kind}`] ?? tables[`${group}/${kind}`] ?? defaultTable;
}
