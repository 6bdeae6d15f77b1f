// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { DraftMeta, ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { IntOrString, MicroTime, QuantityText, Time } from "../scalars.js";
import type { Condition, LabelSelector } from "./meta-v1.js";

export type AppArmorProfileType = "Localhost" | "RuntimeDefault" | "Unconfined";

export type AzureDataDiskCachingMode = "None" | "ReadOnly" | "ReadWrite";

export type AzureDataDiskKind = "Dedicated" | "Managed" | "Shared";

export type ClaimResourceStatus = "ControllerResizeInProgress" | "ControllerResizeInfeasible" | "NodeResizeInProgress" | "NodeResizeInfeasible" | "NodeResizePending";

export type ComponentConditionType = "Healthy" | (string & {});

export type ConditionStatus = "False" | "True" | "Unknown";

export type ContainerRestartPolicy = "Always" | "Never" | "OnFailure" | (string & {});

export type ContainerRestartRuleAction = "Restart" | "RestartAllContainers" | (string & {});

export type ContainerRestartRuleOnExitCodesOperator = "In" | "NotIn" | (string & {});

export type DNSPolicy = "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";

export type FinalizerName = "kubernetes" | (string & {});

export type HostPathType = "" | "BlockDevice" | "CharDevice" | "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate" | "Socket";

export type IPFamily = "" | "IPv4" | "IPv6";

export type IPFamilyPolicy = "PreferDualStack" | "RequireDualStack" | "SingleStack";

export type LimitType = "Container" | "PersistentVolumeClaim" | "Pod" | (string & {});

export type LoadBalancerIPMode = "Proxy" | "VIP" | (string & {});

export type MountPropagationMode = "Bidirectional" | "HostToContainer" | "None";

export type NamespaceConditionType = "NamespaceContentRemaining" | "NamespaceDeletionContentFailure" | "NamespaceDeletionDiscoveryFailure" | "NamespaceDeletionGroupVersionParsingFailure" | "NamespaceFinalizersRemaining" | (string & {});

export type NamespacePhase = "Active" | "Terminating";

export type NodeAddressType = "ExternalDNS" | "ExternalIP" | "Hostname" | "InternalDNS" | "InternalIP" | (string & {});

export type NodeConditionType = "DiskPressure" | "MemoryPressure" | "NetworkUnavailable" | "PIDPressure" | "Ready" | (string & {});

export type NodeInclusionPolicy = "Honor" | "Ignore";

export type NodePhase = "Pending" | "Running" | "Terminated";

export type NodeSelectorOperator = "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";

export type OSName = "linux" | "windows" | (string & {});

export type PersistentVolumeAccessMode = "ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod";

export type PersistentVolumeClaimConditionType = "ControllerResizeError" | "FileSystemResizePending" | "ModifyVolumeError" | "ModifyingVolume" | "NodeResizeError" | "Resizing" | "Unused" | (string & {});

export type PersistentVolumeClaimModifyVolumeStatus = "InProgress" | "Infeasible" | "Pending";

export type PersistentVolumeClaimPhase = "Bound" | "Lost" | "Pending";

export type PersistentVolumeMode = "Block" | "Filesystem";

export type PersistentVolumePhase = "Available" | "Bound" | "Failed" | "Pending" | "Released";

export type PersistentVolumeReclaimPolicy = "Delete" | "Recycle" | "Retain";

export type PodConditionType = "AllContainersRestarting" | "ContainersReady" | "DisruptionTarget" | "Initialized" | "PodReadyToStartContainers" | "PodResizeInProgress" | "PodResizePending" | "PodScheduled" | "Ready" | (string & {});

export type PodFSGroupChangePolicy = "Always" | "OnRootMismatch";

export type PodPhase = "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";

export type PodQOSClass = "BestEffort" | "Burstable" | "Guaranteed";

export type PodResizeStatus = "Deferred" | "InProgress" | "Infeasible" | (string & {});

export type PodSELinuxChangePolicy = "MountOption" | "Recursive" | (string & {});

export type PreemptionPolicy = "Never" | "PreemptLowerPriority";

export type ProcMountType = "Default" | "Unmasked";

export type Protocol = "SCTP" | "TCP" | "UDP";

export type PullPolicy = "Always" | "IfNotPresent" | "Never";

export type RecursiveReadOnlyMode = "Disabled" | "Enabled" | "IfPossible" | (string & {});

export type ReplicationControllerConditionType = "ReplicaFailure" | (string & {});

export type ResourceHealthStatus = "Healthy" | "Unhealthy" | "Unknown" | (string & {});

export type ResourceName = "configmaps" | "cpu" | "ephemeral-storage" | "limits.cpu" | "limits.ephemeral-storage" | "limits.memory" | "memory" | "persistentvolumeclaims" | "pods" | "replicationcontrollers" | "requests.cpu" | "requests.ephemeral-storage" | "requests.memory" | "requests.storage" | "resourcequotas" | "secrets" | "services" | "services.loadbalancers" | "services.nodeports" | "storage" | (string & {});

export type ResourceQuotaScope = "BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass";

export type ResourceResizeRestartPolicy = "NotRequired" | "RestartContainer" | (string & {});

export type RestartPolicy = "Always" | "Never" | "OnFailure";

export type ScopeSelectorOperator = "DoesNotExist" | "Exists" | "In" | "NotIn";

export type SeccompProfileType = "Localhost" | "RuntimeDefault" | "Unconfined";

export type SecretType = "Opaque" | "bootstrap.kubernetes.io/token" | "kubernetes.io/basic-auth" | "kubernetes.io/dockercfg" | "kubernetes.io/dockerconfigjson" | "kubernetes.io/service-account-token" | "kubernetes.io/ssh-auth" | "kubernetes.io/tls" | (string & {});

export type ServiceAffinity = "ClientIP" | "None";

export type ServiceExternalTrafficPolicy = "Cluster" | "Local";

export type ServiceInternalTrafficPolicy = "Cluster" | "Local";

export type ServiceType = "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";

export type Signal = "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ";

export type StorageMedium = "" | "HugePages" | "HugePages-" | "Memory" | (string & {});

export type SupplementalGroupsPolicy = "Merge" | "Strict";

export type TaintEffect = "NoExecute" | "NoSchedule" | "PreferNoSchedule";

export type TerminationMessagePolicy = "FallbackToLogsOnError" | "File";

export type TolerationOperator = "Equal" | "Exists" | "Gt" | "Lt";

export type URIScheme = "HTTP" | "HTTPS";

export type UnsatisfiableConstraintAction = "DoNotSchedule" | "ScheduleAnyway";

export interface AWSElasticBlockStoreVolumeSource {
  readonly volumeID: string;
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
}

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAntiAffinity;
}

export interface AppArmorProfile {
  readonly type: AppArmorProfileType;
  readonly localhostProfile?: string;
}

export interface AttachedVolume {
  readonly name: string;
  readonly devicePath: string;
}

export interface AzureDiskVolumeSource {
  readonly diskName: string;
  readonly diskURI: string;
  readonly cachingMode?: AzureDataDiskCachingMode;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly kind?: AzureDataDiskKind;
}

export interface AzureFilePersistentVolumeSource {
  readonly secretName: string;
  readonly shareName: string;
  readonly readOnly?: boolean;
  readonly secretNamespace?: string;
}

export interface AzureFileVolumeSource {
  readonly secretName: string;
  readonly shareName: string;
  readonly readOnly?: boolean;
}

/** Places a pod on a node. */
export interface Binding {
  readonly apiVersion: "v1";
  readonly kind: "Binding";
  readonly metadata: ObjectMeta;
  /** The node. */
  readonly target: ObjectReference;
}
export const Binding: ResourceType<Binding> = /* @__PURE__ */ defineResource<Binding>({ group: "", version: "v1", kind: "Binding", plural: "bindings", scope: "Namespaced" });

export interface CSIPersistentVolumeSource {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly controllerPublishSecretRef?: SecretReference;
  readonly nodeStageSecretRef?: SecretReference;
  readonly nodePublishSecretRef?: SecretReference;
  readonly controllerExpandSecretRef?: SecretReference;
  readonly nodeExpandSecretRef?: SecretReference;
}

export interface CSIVolumeSource {
  readonly driver: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly nodePublishSecretRef?: LocalObjectReference;
}

export interface Capabilities {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

export interface CephFSPersistentVolumeSource {
  readonly monitors: readonly string[];
  readonly path?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
}

export interface CephFSVolumeSource {
  readonly monitors: readonly string[];
  readonly path?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
}

export interface CinderPersistentVolumeSource {
  readonly volumeID: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReference;
}

export interface CinderVolumeSource {
  readonly volumeID: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
}

export interface ClientIPConfig {
  readonly timeoutSeconds?: number;
}

export interface ClusterTrustBundleProjection {
  readonly name?: string;
  readonly signerName?: string;
  readonly labelSelector?: LabelSelector;
  readonly optional?: boolean;
  readonly path: string;
}

export interface ComponentCondition {
  readonly type: ComponentConditionType;
  readonly status: ConditionStatus;
  readonly message?: string;
  readonly error?: string;
}

/** The health of a part of the control plane. Not used any more. */
export interface ComponentStatus {
  readonly apiVersion: "v1";
  readonly kind: "ComponentStatus";
  readonly metadata: ObjectMeta;
  readonly conditions?: readonly ComponentCondition[];
}
export const ComponentStatus: ResourceType<ComponentStatus> = /* @__PURE__ */ defineResource<ComponentStatus>({ group: "", version: "v1", kind: "ComponentStatus", plural: "componentstatuses", scope: "Cluster", shortNames: ["cs"] });

/** Settings for pods, as texts and bytes under names. */
export interface ConfigMap {
  readonly apiVersion: "v1";
  readonly kind: "ConfigMap";
  readonly metadata: ObjectMeta;
  /** The content cannot be changed any more. */
  readonly immutable?: boolean;
  /** Texts by name. */
  readonly data?: Readonly<Record<string, string>>;
  /** Bytes by name. */
  readonly binaryData?: Readonly<Record<string, string>>;
}
export const ConfigMap: ResourceType<ConfigMap> = /* @__PURE__ */ defineResource<ConfigMap>({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced", shortNames: ["cm"] });

export interface ConfigMapEnvSource extends LocalObjectReference {
  readonly optional?: boolean;
}

export interface ConfigMapKeySelector extends LocalObjectReference {
  readonly key: string;
  readonly optional?: boolean;
}

export interface ConfigMapNodeConfigSource {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly kubeletConfigKey: string;
}

export interface ConfigMapProjection extends LocalObjectReference {
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

export interface ConfigMapVolumeSource extends LocalObjectReference {
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

/** One container of a pod. */
export interface Container {
  /** Unique within the pod. */
  readonly name: string;
  /** The image to run. */
  readonly image?: string;
  /** The program that runs instead of the image's entry point. Not run in a shell. */
  readonly command?: readonly string[];
  /** Arguments, instead of the image's own. */
  readonly args?: readonly string[];
  /** The folder in which the container starts. */
  readonly workingDir?: string;
  /** Ports that the container listens on. For information: leaving one out does not close it. */
  readonly ports?: readonly ContainerPort[];
  /** Config maps and secrets whose entries become environment variables. */
  readonly envFrom?: readonly EnvFromSource[];
  /** Environment variables. */
  readonly env?: readonly EnvVar[];
  /** The resources that the container needs, and may use at most. */
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  /** For init containers, Always makes one that goes on running beside the others. */
  readonly restartPolicy?: ContainerRestartPolicy;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  /** Where volumes of the pod appear in the container. */
  readonly volumeMounts?: readonly VolumeMount[];
  /** Block devices of the pod that appear in the container. */
  readonly volumeDevices?: readonly VolumeDevice[];
  /** A check whose failure restarts the container. */
  readonly livenessProbe?: Probe;
  /** A check that says whether the container can take traffic. */
  readonly readinessProbe?: Probe;
  /** A check that holds back the others until the container has started. */
  readonly startupProbe?: Probe;
  /** Actions right after the start and before the stop. */
  readonly lifecycle?: Lifecycle;
  /** The file from which the last words of the container are read. */
  readonly terminationMessagePath?: string;
  /** Where last words come from: the file, or the log after an error. */
  readonly terminationMessagePolicy?: TerminationMessagePolicy;
  /** When to fetch the image: Always, IfNotPresent or Never. */
  readonly imagePullPolicy?: PullPolicy;
  /** As whom and with which privileges the container runs. */
  readonly securityContext?: SecurityContext;
  /** Keep standard input open. */
  readonly stdin?: boolean;
  /** Close standard input after the first one who attached has left. */
  readonly stdinOnce?: boolean;
  /** Give the container a terminal; needs stdin. */
  readonly tty?: boolean;
}

export interface ContainerExtendedResourceRequest {
  readonly containerName: string;
  readonly resourceName: string;
  readonly requestName: string;
}

export interface ContainerImage {
  readonly names?: readonly string[];
  readonly sizeBytes?: number;
}

export interface ContainerPort {
  /** A name by which services and probes can refer to the port. */
  readonly name?: string;
  /** The same port on the node; rarely wanted. */
  readonly hostPort?: number;
  /** The number of the port. */
  readonly containerPort: number;
  /** TCP, UDP or SCTP. */
  readonly protocol?: Protocol;
  /** The node's address to which hostPort is bound. */
  readonly hostIP?: string;
}

export interface ContainerResizePolicy {
  readonly resourceName: ResourceName;
  readonly restartPolicy: ResourceResizeRestartPolicy;
}

export interface ContainerRestartRule {
  readonly action: ContainerRestartRuleAction;
  readonly exitCodes?: ContainerRestartRuleOnExitCodes;
}

export interface ContainerRestartRuleOnExitCodes {
  readonly operator: ContainerRestartRuleOnExitCodesOperator;
  readonly values?: readonly number[];
}

export interface ContainerState {
  readonly waiting?: ContainerStateWaiting;
  readonly running?: ContainerStateRunning;
  readonly terminated?: ContainerStateTerminated;
}

export interface ContainerStateRunning {
  readonly startedAt?: Time;
}

export interface ContainerStateTerminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: Time;
  readonly finishedAt?: Time;
  readonly containerID?: string;
}

export interface ContainerStateWaiting {
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly started?: boolean;
  readonly allocatedResources?: Readonly<Record<string, QuantityText>>;
  readonly resources?: ResourceRequirements;
  readonly volumeMounts?: readonly VolumeMountStatus[];
  readonly user?: ContainerUser;
  readonly allocatedResourcesStatus?: readonly ResourceStatus[];
  readonly stopSignal?: Signal;
}

export interface ContainerUser {
  readonly linux?: LinuxContainerUser;
}

export interface DaemonEndpoint {
  readonly Port: number;
}

export interface DownwardAPIProjection {
  readonly items?: readonly DownwardAPIVolumeFile[];
}

export interface DownwardAPIVolumeFile {
  readonly path: string;
  readonly fieldRef?: ObjectFieldSelector;
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly mode?: number;
}

export interface DownwardAPIVolumeSource {
  readonly items?: readonly DownwardAPIVolumeFile[];
  readonly defaultMode?: number;
}

export interface EmptyDirVolumeSource {
  readonly medium?: StorageMedium;
  readonly sizeLimit?: QuantityText;
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

export interface EndpointPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: Protocol;
  readonly appProtocol?: string;
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

/** The addresses behind a service. The older form of EndpointSlice. */
export interface Endpoints {
  readonly apiVersion: "v1";
  readonly kind: "Endpoints";
  readonly metadata: ObjectMeta;
  readonly subsets?: readonly EndpointSubset[];
}
export const Endpoints: ResourceType<Endpoints> = /* @__PURE__ */ defineResource<Endpoints>({ group: "", version: "v1", kind: "Endpoints", plural: "endpoints", scope: "Namespaced", shortNames: ["ep"] });

export interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: ConfigMapEnvSource;
  readonly secretRef?: SecretEnvSource;
}

export interface EnvVar {
  /** The name of the variable. */
  readonly name: string;
  /** Its value; $(NAME) is replaced by the value of another variable. */
  readonly value?: string;
  /** Where the value comes from. */
  readonly valueFrom?: EnvVarSource;
}

export interface EnvVarSource {
  readonly fieldRef?: ObjectFieldSelector;
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly configMapKeyRef?: ConfigMapKeySelector;
  readonly secretKeyRef?: SecretKeySelector;
  readonly fileKeyRef?: FileKeySelector;
}

/** A container that is added to a running pod, to look into it. */
export interface EphemeralContainer extends EphemeralContainerCommon {
  /** The container whose processes it sees. */
  readonly targetContainerName?: string;
}

export interface EphemeralContainerCommon {
  /** Unique within the pod. */
  readonly name: string;
  /** The image to run. */
  readonly image?: string;
  /** The program that runs instead of the image's entry point. Not run in a shell. */
  readonly command?: readonly string[];
  /** Arguments, instead of the image's own. */
  readonly args?: readonly string[];
  /** The folder in which the container starts. */
  readonly workingDir?: string;
  /** Ports that the container listens on. For information: leaving one out does not close it. */
  readonly ports?: readonly ContainerPort[];
  /** Config maps and secrets whose entries become environment variables. */
  readonly envFrom?: readonly EnvFromSource[];
  /** Environment variables. */
  readonly env?: readonly EnvVar[];
  /** The resources that the container needs, and may use at most. */
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  /** For init containers, Always makes one that goes on running beside the others. */
  readonly restartPolicy?: ContainerRestartPolicy;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  /** Where volumes of the pod appear in the container. */
  readonly volumeMounts?: readonly VolumeMount[];
  /** Block devices of the pod that appear in the container. */
  readonly volumeDevices?: readonly VolumeDevice[];
  /** A check whose failure restarts the container. */
  readonly livenessProbe?: Probe;
  /** A check that says whether the container can take traffic. */
  readonly readinessProbe?: Probe;
  /** A check that holds back the others until the container has started. */
  readonly startupProbe?: Probe;
  /** Actions right after the start and before the stop. */
  readonly lifecycle?: Lifecycle;
  /** The file from which the last words of the container are read. */
  readonly terminationMessagePath?: string;
  /** Where last words come from: the file, or the log after an error. */
  readonly terminationMessagePolicy?: TerminationMessagePolicy;
  /** When to fetch the image: Always, IfNotPresent or Never. */
  readonly imagePullPolicy?: PullPolicy;
  /** As whom and with which privileges the container runs. */
  readonly securityContext?: SecurityContext;
  /** Keep standard input open. */
  readonly stdin?: boolean;
  /** Close standard input after the first one who attached has left. */
  readonly stdinOnce?: boolean;
  /** Give the container a terminal; needs stdin. */
  readonly tty?: boolean;
}

export interface EphemeralVolumeSource {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** A note that something happened to an object. Kept for a while only. */
export interface Event {
  readonly apiVersion: "v1";
  readonly kind: "Event";
  readonly metadata: ObjectMeta;
  /** The object that it is about. */
  readonly involvedObject: ObjectReference;
  /** One word for what happened. */
  readonly reason?: string;
  /** A description of the occurrence, for people. */
  readonly message?: string;
  /** The component that reports it. */
  readonly source?: EventSource;
  /** When it first happened. */
  readonly firstTimestamp?: Time;
  /** When it last happened. */
  readonly lastTimestamp?: Time;
  /** How often it happened. */
  readonly count?: number;
  /** Normal or Warning. */
  readonly type?: string;
  readonly eventTime?: MicroTime;
  readonly series?: EventSeries;
  readonly action?: string;
  readonly related?: ObjectReference;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}
export const Event: ResourceType<Event> = /* @__PURE__ */ defineResource<Event>({ group: "", version: "v1", kind: "Event", plural: "events", scope: "Namespaced", shortNames: ["ev"] });

export interface EventSeries {
  readonly count?: number;
  readonly lastObservedTime?: MicroTime;
}

export interface EventSource {
  readonly component?: string;
  readonly host?: string;
}

export interface ExecAction {
  readonly command?: readonly string[];
}

export interface FCVolumeSource {
  readonly targetWWNs?: readonly string[];
  readonly lun?: number;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly wwids?: readonly string[];
}

export interface FileKeySelector {
  readonly volumeName: string;
  readonly path: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface FlexPersistentVolumeSource {
  readonly driver: string;
  readonly fsType?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
  readonly options?: Readonly<Record<string, string>>;
}

export interface FlexVolumeSource {
  readonly driver: string;
  readonly fsType?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
  readonly options?: Readonly<Record<string, string>>;
}

export interface FlockerVolumeSource {
  readonly datasetName?: string;
  readonly datasetUUID?: string;
}

export interface GCEPersistentDiskVolumeSource {
  readonly pdName: string;
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
}

export interface GRPCAction {
  readonly port: number;
  readonly service?: string;
}

export interface GitRepoVolumeSource {
  readonly repository: string;
  readonly revision?: string;
  readonly directory?: string;
}

export interface GlusterfsPersistentVolumeSource {
  readonly endpoints: string;
  readonly path: string;
  readonly readOnly?: boolean;
  readonly endpointsNamespace?: string;
}

export interface GlusterfsVolumeSource {
  readonly endpoints: string;
  readonly path: string;
  readonly readOnly?: boolean;
}

export interface HTTPGetAction {
  readonly path?: string;
  readonly port: IntOrString;
  readonly host?: string;
  readonly scheme?: URIScheme;
  readonly httpHeaders?: readonly HTTPHeader[];
}

export interface HTTPHeader {
  readonly name: string;
  readonly value: string;
}

export interface HostAlias {
  readonly ip: string;
  readonly hostnames?: readonly string[];
}

export interface HostIP {
  readonly ip: string;
}

export interface HostPathVolumeSource {
  readonly path: string;
  readonly type?: HostPathType;
}

export interface ISCSIPersistentVolumeSource {
  readonly targetPortal: string;
  readonly iqn: string;
  readonly lun: number;
  readonly iscsiInterface?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly portals?: readonly string[];
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: SecretReference;
  readonly initiatorName?: string;
}

export interface ISCSIVolumeSource {
  readonly targetPortal: string;
  readonly iqn: string;
  readonly lun: number;
  readonly iscsiInterface?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly portals?: readonly string[];
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly secretRef?: LocalObjectReference;
  readonly initiatorName?: string;
}

export interface ImageVolumeSource {
  readonly reference?: string;
  readonly pullPolicy?: PullPolicy;
}

export interface ImageVolumeStatus {
  readonly imageRef: string;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

export interface Lifecycle {
  readonly postStart?: LifecycleHandler;
  readonly preStop?: LifecycleHandler;
  readonly stopSignal?: Signal;
}

export interface LifecycleHandler {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly sleep?: SleepAction;
}

/** Bounds and defaults for what single pods, containers and claims of a namespace ask for. */
export interface LimitRange {
  readonly apiVersion: "v1";
  readonly kind: "LimitRange";
  readonly metadata: ObjectMeta;
  readonly spec?: LimitRangeSpec;
}
export const LimitRange: ResourceType<LimitRange> = /* @__PURE__ */ defineResource<LimitRange>({ group: "", version: "v1", kind: "LimitRange", plural: "limitranges", scope: "Namespaced", shortNames: ["limits"] });

export interface LimitRangeItem {
  readonly type: LimitType;
  readonly max?: Readonly<Record<string, QuantityText>>;
  readonly min?: Readonly<Record<string, QuantityText>>;
  readonly default?: Readonly<Record<string, QuantityText>>;
  readonly defaultRequest?: Readonly<Record<string, QuantityText>>;
  readonly maxLimitRequestRatio?: Readonly<Record<string, QuantityText>>;
}

export interface LimitRangeSpec {
  readonly limits: readonly LimitRangeItem[];
}

export interface LinuxContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups?: readonly number[];
}

export interface LoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: LoadBalancerIPMode;
  readonly ports?: readonly PortStatus[];
}

export interface LoadBalancerStatus {
  readonly ingress?: readonly LoadBalancerIngress[];
}

export interface LocalObjectReference {
  readonly name?: string;
}

export interface LocalVolumeSource {
  readonly path: string;
  readonly fsType?: string;
}

export interface ModifyVolumeStatus {
  readonly targetVolumeAttributesClassName?: string;
  readonly status: PersistentVolumeClaimModifyVolumeStatus;
}

export interface NFSVolumeSource {
  readonly server: string;
  readonly path: string;
  readonly readOnly?: boolean;
}

/** A scope for names: objects of most kinds live in one, and go with it. */
export interface Namespace {
  readonly apiVersion: "v1";
  readonly kind: "Namespace";
  readonly metadata: ObjectMeta;
  readonly spec?: NamespaceSpec;
  readonly status?: NamespaceStatus;
}
export const Namespace: ResourceType<Namespace> = /* @__PURE__ */ defineResource<Namespace>({ group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster", shortNames: ["ns"], subresources: ["finalize", "status"] });

export interface NamespaceCondition {
  readonly type: NamespaceConditionType;
  readonly status: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface NamespaceSpec {
  readonly finalizers?: readonly FinalizerName[];
}

export interface NamespaceStatus {
  /** Active, or Terminating while it is being emptied. */
  readonly phase?: NamespacePhase;
  readonly conditions?: readonly NamespaceCondition[];
}

/** A machine that runs pods. */
export interface Node {
  readonly apiVersion: "v1";
  readonly kind: "Node";
  readonly metadata: ObjectMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}
export const Node: ResourceType<Node> = /* @__PURE__ */ defineResource<Node>({ group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster", shortNames: ["no"], subresources: ["proxy", "status"] });

export interface NodeAddress {
  readonly type: NodeAddressType;
  readonly address: string;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

export interface NodeAllocatableResourceClaimStatus {
  readonly resourceClaimName: string;
  readonly containers?: readonly string[];
  readonly resources: Readonly<Record<string, QuantityText>>;
}

export interface NodeCondition {
  readonly type: NodeConditionType;
  readonly status: ConditionStatus;
  readonly lastHeartbeatTime?: Time;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface NodeConfigSource {
  readonly configMap?: ConfigMapNodeConfigSource;
}

export interface NodeConfigStatus {
  readonly assigned?: NodeConfigSource;
  readonly active?: NodeConfigSource;
  readonly lastKnownGood?: NodeConfigSource;
  readonly error?: string;
}

export interface NodeDaemonEndpoints {
  readonly kubeletEndpoint?: DaemonEndpoint;
}

export interface NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean;
}

export interface NodeRuntimeHandler {
  readonly name?: string;
  readonly features?: NodeRuntimeHandlerFeatures;
}

export interface NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean;
  readonly userNamespaces?: boolean;
}

export interface NodeSelector {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: NodeSelectorOperator;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSpec {
  /** The addresses of the node's pods. */
  readonly podCIDR?: string;
  /** The addresses of the node's pods, by family. */
  readonly podCIDRs?: readonly string[];
  /** How the cloud calls the machine. */
  readonly providerID?: string;
  /** No new pods are placed here. */
  readonly unschedulable?: boolean;
  /** Keep away pods that do not tolerate them. */
  readonly taints?: readonly Taint[];
  readonly configSource?: NodeConfigSource;
  readonly externalID?: string;
}

export interface NodeStatus {
  /** The resources of the machine. */
  readonly capacity?: Readonly<Record<string, QuantityText>>;
  /** The part of them that pods may use. */
  readonly allocatable?: Readonly<Record<string, QuantityText>>;
  readonly phase?: NodePhase;
  readonly conditions?: readonly NodeCondition[];
  /** How the machine is reached. */
  readonly addresses?: readonly NodeAddress[];
  readonly daemonEndpoints?: NodeDaemonEndpoints;
  /** The system that runs on the machine. */
  readonly nodeInfo?: NodeSystemInfo;
  /** Images that are there already. */
  readonly images?: readonly ContainerImage[];
  readonly volumesInUse?: readonly string[];
  readonly volumesAttached?: readonly AttachedVolume[];
  readonly config?: NodeConfigStatus;
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly features?: NodeFeatures;
  readonly declaredFeatures?: readonly string[];
}

export interface NodeSwapStatus {
  readonly capacity?: number;
}

export interface NodeSystemInfo {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly containerRuntimeVersion: string;
  readonly kubeletVersion: string;
  readonly kubeProxyVersion: string;
  readonly operatingSystem: string;
  readonly architecture: string;
  readonly swap?: NodeSwapStatus;
}

export interface ObjectFieldSelector {
  readonly apiVersion?: string;
  readonly fieldPath: string;
}

export interface ObjectReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Storage that outlives pods. */
export interface PersistentVolume {
  readonly apiVersion: "v1";
  readonly kind: "PersistentVolume";
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeSpec;
  readonly status?: PersistentVolumeStatus;
}
export const PersistentVolume: ResourceType<PersistentVolume> = /* @__PURE__ */ defineResource<PersistentVolume>({ group: "", version: "v1", kind: "PersistentVolume", plural: "persistentvolumes", scope: "Cluster", shortNames: ["pv"], subresources: ["status"] });

/** Asks for storage, and is given a volume. */
export interface PersistentVolumeClaim {
  readonly apiVersion: "v1";
  readonly kind: "PersistentVolumeClaim";
  readonly metadata: ObjectMeta;
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: PersistentVolumeClaimStatus;
}
export const PersistentVolumeClaim: ResourceType<PersistentVolumeClaim> = /* @__PURE__ */ defineResource<PersistentVolumeClaim>({ group: "", version: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", scope: "Namespaced", shortNames: ["pvc"], subresources: ["status"] });

export interface PersistentVolumeClaimCondition {
  readonly type: PersistentVolumeClaimConditionType;
  readonly status: ConditionStatus;
  readonly lastProbeTime?: Time;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface PersistentVolumeClaimSpec {
  /** How it is to be mounted. */
  readonly accessModes?: readonly PersistentVolumeAccessMode[];
  /** Labels that the volume must have. */
  readonly selector?: LabelSelector;
  /** How large it must be. */
  readonly resources?: VolumeResourceRequirements;
  /** The volume that it has. */
  readonly volumeName?: string;
  /** The class of storage; the default one if absent. */
  readonly storageClassName?: string;
  /** Filesystem or Block. */
  readonly volumeMode?: PersistentVolumeMode;
  /** A snapshot or claim that it starts from. */
  readonly dataSource?: TypedLocalObjectReference;
  /** An object that it starts from. */
  readonly dataSourceRef?: TypedObjectReference;
  readonly volumeAttributesClassName?: string;
}

export interface PersistentVolumeClaimStatus {
  /** Pending, Bound or Lost. */
  readonly phase?: PersistentVolumeClaimPhase;
  /** How the volume may be mounted. */
  readonly accessModes?: readonly PersistentVolumeAccessMode[];
  /** How large it is. */
  readonly capacity?: Readonly<Record<string, QuantityText>>;
  readonly conditions?: readonly PersistentVolumeClaimCondition[];
  readonly allocatedResources?: Readonly<Record<string, QuantityText>>;
  readonly allocatedResourceStatuses?: Readonly<Record<string, ClaimResourceStatus>>;
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: ModifyVolumeStatus;
}

export interface PersistentVolumeClaimTemplate {
  readonly metadata?: DraftMeta;
  readonly spec: PersistentVolumeClaimSpec;
}

export interface PersistentVolumeClaimVolumeSource {
  readonly claimName: string;
  readonly readOnly?: boolean;
}

export interface PersistentVolumeSource {
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly hostPath?: HostPathVolumeSource;
  readonly glusterfs?: GlusterfsPersistentVolumeSource;
  readonly nfs?: NFSVolumeSource;
  readonly rbd?: RBDPersistentVolumeSource;
  readonly iscsi?: ISCSIPersistentVolumeSource;
  readonly cinder?: CinderPersistentVolumeSource;
  readonly cephfs?: CephFSPersistentVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  readonly flexVolume?: FlexPersistentVolumeSource;
  readonly azureFile?: AzureFilePersistentVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly scaleIO?: ScaleIOPersistentVolumeSource;
  readonly local?: LocalVolumeSource;
  readonly storageos?: StorageOSPersistentVolumeSource;
  readonly csi?: CSIPersistentVolumeSource;
}

export interface PersistentVolumeSpec extends PersistentVolumeSource {
  /** How large it is. */
  readonly capacity?: Readonly<Record<string, QuantityText>>;
  /** How it may be mounted. */
  readonly accessModes?: readonly PersistentVolumeAccessMode[];
  /** The claim that has it. */
  readonly claimRef?: ObjectReference;
  /** Its fate when its claim goes: Retain, Delete or Recycle. */
  readonly persistentVolumeReclaimPolicy?: PersistentVolumeReclaimPolicy;
  /** Its class; only claims of the same class get it. */
  readonly storageClassName?: string;
  /** Options for mounting it. */
  readonly mountOptions?: readonly string[];
  /** Filesystem or Block. */
  readonly volumeMode?: PersistentVolumeMode;
  /** From which nodes it can be reached. */
  readonly nodeAffinity?: VolumeNodeAffinity;
  readonly volumeAttributesClassName?: string;
}

export interface PersistentVolumeStatus {
  readonly phase?: PersistentVolumePhase;
  readonly message?: string;
  readonly reason?: string;
  readonly lastPhaseTransitionTime?: Time;
}

export interface PhotonPersistentDiskVolumeSource {
  readonly pdID: string;
  readonly fsType?: string;
}

/** Containers that run together on one node and share network and volumes. */
export interface Pod {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: ObjectMeta;
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}
export const Pod: ResourceType<Pod> = /* @__PURE__ */ defineResource<Pod>({ group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced", shortNames: ["po"], categories: ["all"], subresources: ["attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward", "proxy", "resize", "status"] });

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly topologyKey: string;
  readonly namespaceSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface PodCertificateProjection {
  readonly signerName: string;
  readonly keyType: string;
  readonly maxExpirationSeconds?: number;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly certificateChainPath?: string;
  readonly userAnnotations?: Readonly<Record<string, string>>;
}

export interface PodCondition {
  readonly type: PodConditionType;
  readonly observedGeneration?: number;
  readonly status: ConditionStatus;
  readonly lastProbeTime?: Time;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface PodDNSConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly PodDNSConfigOption[];
}

export interface PodDNSConfigOption {
  readonly name?: string;
  readonly value?: string;
}

export interface PodExtendedResourceClaimStatus {
  readonly requestMappings: readonly ContainerExtendedResourceRequest[];
  readonly resourceClaimName: string;
}

export interface PodIP {
  readonly ip: string;
}

export interface PodOS {
  readonly name: OSName;
}

export interface PodReadinessGate {
  readonly conditionType: PodConditionType;
}

export interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface PodResourceClaimStatus {
  readonly name: string;
  readonly resourceClaimName?: string;
}

export interface PodSchedulingGate {
  readonly name: string;
}

export interface PodSchedulingGroup {
  readonly podGroupName?: string;
}

export interface PodSecurityContext {
  readonly seLinuxOptions?: SELinuxOptions;
  readonly windowsOptions?: WindowsSecurityContextOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  readonly fsGroup?: number;
  readonly sysctls?: readonly Sysctl[];
  readonly fsGroupChangePolicy?: PodFSGroupChangePolicy;
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
  readonly seLinuxChangePolicy?: PodSELinuxChangePolicy;
}

/** The containers of a pod, and the way in which they run. */
export interface PodSpec {
  /** Storage that containers may mount. */
  readonly volumes?: readonly Volume[];
  /** Containers that run one after another before the others start. */
  readonly initContainers?: readonly Container[];
  /** The containers of the pod; at least one. */
  readonly containers: readonly Container[];
  /** Containers that are added to a running pod, to look into it. */
  readonly ephemeralContainers?: readonly EphemeralContainer[];
  /** Whether containers that end are started again: Always, OnFailure or Never. */
  readonly restartPolicy?: RestartPolicy;
  /** How long the pod may take to stop before it is killed. */
  readonly terminationGracePeriodSeconds?: number;
  /** How long the pod may run before it is failed. */
  readonly activeDeadlineSeconds?: number;
  /** Where the containers' name resolution comes from. */
  readonly dnsPolicy?: DNSPolicy;
  /** Labels that a node must have to run the pod. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** As whom the pod speaks to the API. */
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  /** Whether the token of the service account is mounted. */
  readonly automountServiceAccountToken?: boolean;
  /** The node that runs the pod. Usually set by the scheduler. */
  readonly nodeName?: string;
  /** Use the node's network. */
  readonly hostNetwork?: boolean;
  /** Share the node's processes. */
  readonly hostPID?: boolean;
  /** Share the node's interprocess communication. */
  readonly hostIPC?: boolean;
  /** Containers see each other's processes. */
  readonly shareProcessNamespace?: boolean;
  /** As whom and with which privileges the containers run, unless they say otherwise. */
  readonly securityContext?: PodSecurityContext;
  /** Secrets with which images are fetched. */
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  /** The name by which the pod knows itself. */
  readonly hostname?: string;
  /** Makes the pod's full name hostname.subdomain.namespace.svc. */
  readonly subdomain?: string;
  /** Wishes and demands about nodes, and about other pods near by. */
  readonly affinity?: Affinity;
  /** The scheduler that places the pod. */
  readonly schedulerName?: string;
  /** Taints of nodes that the pod puts up with. */
  readonly tolerations?: readonly Toleration[];
  /** Further lines of the pod's hosts file. */
  readonly hostAliases?: readonly HostAlias[];
  /** How important the pod is, by name. */
  readonly priorityClassName?: string;
  /** How important the pod is, as a number; higher ones may push out lower ones. */
  readonly priority?: number;
  /** Further settings of name resolution. */
  readonly dnsConfig?: PodDNSConfig;
  /** Conditions that others set and that must be true for the pod to be ready. */
  readonly readinessGates?: readonly PodReadinessGate[];
  /** With which runtime the pod runs. */
  readonly runtimeClassName?: string;
  /** Whether services appear as environment variables. */
  readonly enableServiceLinks?: boolean;
  /** Whether the pod may push out others. */
  readonly preemptionPolicy?: PreemptionPolicy;
  /** The resources that the pod itself costs besides its containers. */
  readonly overhead?: Readonly<Record<string, QuantityText>>;
  /** How pods of this sort spread over zones, nodes and the like. */
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly setHostnameAsFQDN?: boolean;
  /** The operating system that the containers need. */
  readonly os?: PodOS;
  /** Use the node's user ids. */
  readonly hostUsers?: boolean;
  /** Names of those who must still agree before the pod is placed. */
  readonly schedulingGates?: readonly PodSchedulingGate[];
  /** Claims of devices that containers may use. */
  readonly resourceClaims?: readonly PodResourceClaim[];
  /** The resources that the pod as a whole needs, and may use at most. */
  readonly resources?: ResourceRequirements;
  readonly hostnameOverride?: string;
  readonly schedulingGroup?: PodSchedulingGroup;
}

export interface PodStatus {
  readonly observedGeneration?: number;
  /** Pending, Running, Succeeded, Failed or Unknown: where in its life the pod is. */
  readonly phase?: PodPhase;
  readonly conditions?: readonly PodCondition[];
  /** Why the pod is in this state, for people. */
  readonly message?: string;
  /** One word for why the pod is in this state. */
  readonly reason?: string;
  /** The node on which others are pushed out for the pod. */
  readonly nominatedNodeName?: string;
  /** The address of the pod's node. */
  readonly hostIP?: string;
  readonly hostIPs?: readonly HostIP[];
  /** The pod's address. */
  readonly podIP?: string;
  /** All addresses of the pod, at most one of each family. */
  readonly podIPs?: readonly PodIP[];
  /** When the node took the pod on. */
  readonly startTime?: Time;
  /** The state of each init container. */
  readonly initContainerStatuses?: readonly ContainerStatus[];
  /** The state of each container. */
  readonly containerStatuses?: readonly ContainerStatus[];
  /** Guaranteed, Burstable or BestEffort: the order in which pods go when a node runs out of something. */
  readonly qosClass?: PodQOSClass;
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly resize?: PodResizeStatus;
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[];
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  readonly allocatedResources?: Readonly<Record<string, QuantityText>>;
  readonly resources?: ResourceRequirements;
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeAllocatableResourceClaimStatus[];
}

/** A description from which pods can be made. */
export interface PodTemplate {
  readonly apiVersion: "v1";
  readonly kind: "PodTemplate";
  readonly metadata: ObjectMeta;
  readonly template?: PodTemplateSpec;
}
export const PodTemplate: ResourceType<PodTemplate> = /* @__PURE__ */ defineResource<PodTemplate>({ group: "", version: "v1", kind: "PodTemplate", plural: "podtemplates", scope: "Namespaced" });

/** The pods that are made from this. */
export interface PodTemplateSpec {
  readonly metadata?: DraftMeta;
  readonly spec?: PodSpec;
}

export interface PortStatus {
  readonly port: number;
  readonly protocol: Protocol;
  readonly error?: string;
}

export interface PortworxVolumeSource {
  readonly volumeID: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface PreferredSchedulingTerm {
  readonly weight: number;
  readonly preference: NodeSelectorTerm;
}

/** A check of a container. */
export interface Probe extends ProbeHandler {
  /** How long to wait before the first check. */
  readonly initialDelaySeconds?: number;
  /** How long one check may take. */
  readonly timeoutSeconds?: number;
  /** How often to check. */
  readonly periodSeconds?: number;
  /** How many successes in a row make up for a failure. */
  readonly successThreshold?: number;
  /** How many failures in a row count. */
  readonly failureThreshold?: number;
  /** How long a container that failed the check may take to stop. */
  readonly terminationGracePeriodSeconds?: number;
}

export interface ProbeHandler {
  /** Runs a command; 0 is success. */
  readonly exec?: ExecAction;
  /** Asks for a URL; 200 to 399 is success. */
  readonly httpGet?: HTTPGetAction;
  /** Opens a connection. */
  readonly tcpSocket?: TCPSocketAction;
  /** Asks the gRPC health service. */
  readonly grpc?: GRPCAction;
}

export interface ProjectedVolumeSource {
  readonly sources?: readonly VolumeProjection[];
  readonly defaultMode?: number;
}

export interface QuobyteVolumeSource {
  readonly registry: string;
  readonly volume: string;
  readonly readOnly?: boolean;
  readonly user?: string;
  readonly group?: string;
  readonly tenant?: string;
}

export interface RBDPersistentVolumeSource {
  readonly monitors: readonly string[];
  readonly image: string;
  readonly fsType?: string;
  readonly pool?: string;
  readonly user?: string;
  readonly keyring?: string;
  readonly secretRef?: SecretReference;
  readonly readOnly?: boolean;
}

export interface RBDVolumeSource {
  readonly monitors: readonly string[];
  readonly image: string;
  readonly fsType?: string;
  readonly pool?: string;
  readonly user?: string;
  readonly keyring?: string;
  readonly secretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
}

/** The older form of ReplicaSet. */
export interface ReplicationController {
  readonly apiVersion: "v1";
  readonly kind: "ReplicationController";
  readonly metadata: ObjectMeta;
  readonly spec?: ReplicationControllerSpec;
  readonly status?: ReplicationControllerStatus;
}
export const ReplicationController: ResourceType<ReplicationController> = /* @__PURE__ */ defineResource<ReplicationController>({ group: "", version: "v1", kind: "ReplicationController", plural: "replicationcontrollers", scope: "Namespaced", shortNames: ["rc"], categories: ["all"], subresources: ["scale", "status"] });

export interface ReplicationControllerCondition {
  readonly type: ReplicationControllerConditionType;
  readonly status: ConditionStatus;
  readonly lastTransitionTime?: Time;
  readonly reason?: string;
  readonly message?: string;
}

export interface ReplicationControllerSpec {
  /** How many pods are wanted. */
  readonly replicas?: number;
  /** How long a pod must have been ready to count as available. */
  readonly minReadySeconds?: number;
  /** Which pods belong to this. Must match the template's labels. Cannot be changed. */
  readonly selector?: Readonly<Record<string, string>>;
  /** The template of the pods. */
  readonly template?: PodTemplateSpec;
}

export interface ReplicationControllerStatus {
  /** How many pods there are. */
  readonly replicas: number;
  /** How many have all labels of the template. */
  readonly fullyLabeledReplicas?: number;
  /** How many of them are ready. */
  readonly readyReplicas?: number;
  /** How many have been ready for long enough. */
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly ReplicationControllerCondition[];
}

export interface ResourceClaim {
  readonly name: string;
  readonly request?: string;
}

export interface ResourceFieldSelector {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: QuantityText;
}

export interface ResourceHealth {
  readonly resourceID: string;
  readonly health?: ResourceHealthStatus;
  readonly message?: string;
}

/** Bounds for what a namespace may use in total. */
export interface ResourceQuota {
  readonly apiVersion: "v1";
  readonly kind: "ResourceQuota";
  readonly metadata: ObjectMeta;
  readonly spec?: ResourceQuotaSpec;
  readonly status?: ResourceQuotaStatus;
}
export const ResourceQuota: ResourceType<ResourceQuota> = /* @__PURE__ */ defineResource<ResourceQuota>({ group: "", version: "v1", kind: "ResourceQuota", plural: "resourcequotas", scope: "Namespaced", shortNames: ["quota"], subresources: ["status"] });

export interface ResourceQuotaSpec {
  /** The bounds by name. */
  readonly hard?: Readonly<Record<string, QuantityText>>;
  /** Only pods for which all of these hold count. */
  readonly scopes?: readonly ResourceQuotaScope[];
  readonly scopeSelector?: ScopeSelector;
}

export interface ResourceQuotaStatus {
  /** The bounds that are in force. */
  readonly hard?: Readonly<Record<string, QuantityText>>;
  /** The amounts in use. */
  readonly used?: Readonly<Record<string, QuantityText>>;
}

export interface ResourceRequirements {
  /** The greatest amounts that may be used. */
  readonly limits?: Readonly<Record<string, QuantityText>>;
  /** The reserved amounts, such as of cpu and memory. */
  readonly requests?: Readonly<Record<string, QuantityText>>;
  /** Claims of the pod that the container uses. */
  readonly claims?: readonly ResourceClaim[];
}

export interface ResourceStatus {
  readonly name: ResourceName;
  readonly resources?: readonly ResourceHealth[];
}

export interface SELinuxOptions {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

export interface ScaleIOPersistentVolumeSource {
  readonly gateway: string;
  readonly system: string;
  readonly secretRef: SecretReference;
  readonly sslEnabled?: boolean;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  readonly storageMode?: string;
  readonly volumeName?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface ScaleIOVolumeSource {
  readonly gateway: string;
  readonly system: string;
  readonly secretRef: LocalObjectReference;
  readonly sslEnabled?: boolean;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  readonly storageMode?: string;
  readonly volumeName?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
}

export interface ScopeSelector {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[];
}

export interface ScopedResourceSelectorRequirement {
  readonly scopeName: ResourceQuotaScope;
  readonly operator: ScopeSelectorOperator;
  readonly values?: readonly string[];
}

export interface SeccompProfile {
  readonly type: SeccompProfileType;
  readonly localhostProfile?: string;
}

/** Settings that not everybody should read. */
export interface Secret {
  readonly apiVersion: "v1";
  readonly kind: "Secret";
  readonly metadata: ObjectMeta;
  /** The content cannot be changed any more. */
  readonly immutable?: boolean;
  /** Bytes by name, in base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** Texts by name. Only for writing: they end up in data. */
  readonly stringData?: Readonly<Record<string, string>>;
  /** The meaning of the entries, for programs. */
  readonly type?: SecretType;
}
export const Secret: ResourceType<Secret> = /* @__PURE__ */ defineResource<Secret>({ group: "", version: "v1", kind: "Secret", plural: "secrets", scope: "Namespaced" });

export interface SecretEnvSource extends LocalObjectReference {
  readonly optional?: boolean;
}

export interface SecretKeySelector extends LocalObjectReference {
  readonly key: string;
  readonly optional?: boolean;
}

export interface SecretProjection extends LocalObjectReference {
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface SecretVolumeSource {
  readonly secretName?: string;
  readonly items?: readonly KeyToPath[];
  readonly defaultMode?: number;
  readonly optional?: boolean;
}

export interface SecurityContext {
  /** Linux capabilities to add and to drop. */
  readonly capabilities?: Capabilities;
  /** All the rights of root on the node. */
  readonly privileged?: boolean;
  readonly seLinuxOptions?: SELinuxOptions;
  readonly windowsOptions?: WindowsSecurityContextOptions;
  /** The user id of the process. */
  readonly runAsUser?: number;
  /** The group id of the process. */
  readonly runAsGroup?: number;
  /** Refuse to run as root. */
  readonly runAsNonRoot?: boolean;
  /** Nothing may be written but to volumes. */
  readonly readOnlyRootFilesystem?: boolean;
  /** Whether a process may get more rights than its parent. */
  readonly allowPrivilegeEscalation?: boolean;
  readonly procMount?: ProcMountType;
  /** Which system calls are allowed. */
  readonly seccompProfile?: SeccompProfile;
  readonly appArmorProfile?: AppArmorProfile;
}

/** A stable address for pods that come and go. */
export interface Service {
  readonly apiVersion: "v1";
  readonly kind: "Service";
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceSpec;
  readonly status?: ServiceStatus;
}
export const Service: ResourceType<Service> = /* @__PURE__ */ defineResource<Service>({ group: "", version: "v1", kind: "Service", plural: "services", scope: "Namespaced", shortNames: ["svc"], categories: ["all"], subresources: ["proxy", "status"] });

/** An identity for pods. */
export interface ServiceAccount {
  readonly apiVersion: "v1";
  readonly kind: "ServiceAccount";
  readonly metadata: ObjectMeta;
  /** Secrets that pods of this account may use. */
  readonly secrets?: readonly ObjectReference[];
  /** Secrets for fetching images, given to all pods of this account. */
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  /** Whether pods get a token by default. */
  readonly automountServiceAccountToken?: boolean;
}
export const ServiceAccount: ResourceType<ServiceAccount> = /* @__PURE__ */ defineResource<ServiceAccount>({ group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", scope: "Namespaced", shortNames: ["sa"], subresources: ["token"] });

export interface ServiceAccountTokenProjection {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path: string;
}

export interface ServicePort {
  /** Its name; needed if there is more than one. */
  readonly name?: string;
  /** TCP, UDP or SCTP. */
  readonly protocol?: Protocol;
  readonly appProtocol?: string;
  /** The port of the service. */
  readonly port: number;
  /** The port of the pods, by number or name. */
  readonly targetPort?: IntOrString;
  /** The port on every node. */
  readonly nodePort?: number;
}

export interface ServiceSpec {
  /** Which ports it offers. */
  readonly ports?: readonly ServicePort[];
  /** Which pods stand behind it. */
  readonly selector?: Readonly<Record<string, string>>;
  /** Its address inside; None for a service without one. Given by the server unless set. */
  readonly clusterIP?: string;
  /** Its addresses inside, at most one of each family. */
  readonly clusterIPs?: readonly string[];
  /** ClusterIP: inside. NodePort: on every node. LoadBalancer: outside. ExternalName: an alias. */
  readonly type?: ServiceType;
  /** Further addresses at which nodes take traffic for it. */
  readonly externalIPs?: readonly string[];
  /** ClientIP: the same client is sent to the same pod. */
  readonly sessionAffinity?: ServiceAffinity;
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  /** The name that it is an alias of. */
  readonly externalName?: string;
  /** Whether outside traffic may be sent on to other nodes. */
  readonly externalTrafficPolicy?: ServiceExternalTrafficPolicy;
  readonly healthCheckNodePort?: number;
  /** Pods that are not ready are offered, too. */
  readonly publishNotReadyAddresses?: boolean;
  readonly sessionAffinityConfig?: SessionAffinityConfig;
  /** IPv4, IPv6 or both. */
  readonly ipFamilies?: readonly IPFamily[];
  /** Whether one family is enough. */
  readonly ipFamilyPolicy?: IPFamilyPolicy;
  /** Whether a load balancer also gets ports on nodes. */
  readonly allocateLoadBalancerNodePorts?: boolean;
  /** The implementation that makes the load balancer. */
  readonly loadBalancerClass?: string;
  /** Whether inside traffic may be sent on to other nodes. */
  readonly internalTrafficPolicy?: ServiceInternalTrafficPolicy;
  readonly trafficDistribution?: string;
}

export interface ServiceStatus {
  readonly loadBalancer?: LoadBalancerStatus;
  readonly conditions?: readonly Condition[];
}

export interface SessionAffinityConfig {
  readonly clientIP?: ClientIPConfig;
}

export interface SleepAction {
  readonly seconds: number;
}

export interface StorageOSPersistentVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: ObjectReference;
}

export interface StorageOSVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
}

export interface Sysctl {
  readonly name: string;
  readonly value: string;
}

export interface TCPSocketAction {
  readonly port: IntOrString;
  readonly host?: string;
}

export interface Taint {
  /** The name of the taint. */
  readonly key: string;
  /** Its value. */
  readonly value?: string;
  /** NoSchedule, PreferNoSchedule, or NoExecute: which also drives out pods that run. */
  readonly effect: TaintEffect;
  readonly timeAdded?: Time;
}

export interface Toleration {
  /** The taint; empty with Exists for all. */
  readonly key?: string;
  /** Equal, Exists, or a comparison of numbers. */
  readonly operator?: TolerationOperator;
  /** The taint's value, for Equal. */
  readonly value?: string;
  /** Which effect is tolerated; empty for all. */
  readonly effect?: TaintEffect;
  /** For NoExecute: how long it is tolerated. */
  readonly tolerationSeconds?: number;
}

export interface TopologySelectorLabelRequirement {
  readonly key: string;
  readonly values: readonly string[];
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[];
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: UnsatisfiableConstraintAction;
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: NodeInclusionPolicy;
  readonly nodeTaintsPolicy?: NodeInclusionPolicy;
  readonly matchLabelKeys?: readonly string[];
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface TypedObjectReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Storage of a pod; exactly one source. */
export interface Volume extends VolumeSource {
  /** Unique within the pod. */
  readonly name: string;
}

export interface VolumeDevice {
  readonly name: string;
  readonly devicePath: string;
}

export interface VolumeMount {
  /** The volume. */
  readonly name: string;
  /** Nothing may be written. */
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: RecursiveReadOnlyMode;
  /** Where it appears in the container. */
  readonly mountPath: string;
  /** A path inside the volume instead of its root. */
  readonly subPath?: string;
  /** Whether mounts made later on one side appear on the other. */
  readonly mountPropagation?: MountPropagationMode;
  /** The same, with $(NAME) replaced by environment variables. */
  readonly subPathExpr?: string;
}

export interface VolumeMountStatus {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: RecursiveReadOnlyMode;
  readonly volumeStatus?: VolumeStatus;
}

export interface VolumeNodeAffinity {
  readonly required?: NodeSelector;
}

export interface VolumeProjection {
  readonly secret?: SecretProjection;
  readonly downwardAPI?: DownwardAPIProjection;
  readonly configMap?: ConfigMapProjection;
  readonly serviceAccountToken?: ServiceAccountTokenProjection;
  readonly clusterTrustBundle?: ClusterTrustBundleProjection;
  readonly podCertificate?: PodCertificateProjection;
}

export interface VolumeResourceRequirements {
  readonly limits?: Readonly<Record<string, QuantityText>>;
  readonly requests?: Readonly<Record<string, QuantityText>>;
}

export interface VolumeSource {
  /** A path of the node. */
  readonly hostPath?: HostPathVolumeSource;
  /** A folder that lives as long as the pod. */
  readonly emptyDir?: EmptyDirVolumeSource;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly gitRepo?: GitRepoVolumeSource;
  /** Entries of a secret as files. */
  readonly secret?: SecretVolumeSource;
  /** A folder of an NFS server. */
  readonly nfs?: NFSVolumeSource;
  readonly iscsi?: ISCSIVolumeSource;
  readonly glusterfs?: GlusterfsVolumeSource;
  /** A persistent volume, by its claim. */
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  readonly rbd?: RBDVolumeSource;
  readonly flexVolume?: FlexVolumeSource;
  readonly cinder?: CinderVolumeSource;
  readonly cephfs?: CephFSVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  /** Facts about the pod as files. */
  readonly downwardAPI?: DownwardAPIVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly azureFile?: AzureFileVolumeSource;
  /** Entries of a config map as files. */
  readonly configMap?: ConfigMapVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** Several sources in one folder. */
  readonly projected?: ProjectedVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly scaleIO?: ScaleIOVolumeSource;
  readonly storageos?: StorageOSVolumeSource;
  /** A volume of a storage driver that lives as long as the pod. */
  readonly csi?: CSIVolumeSource;
  /** A volume by a claim that lives as long as the pod. */
  readonly ephemeral?: EphemeralVolumeSource;
  /** The content of an image. */
  readonly image?: ImageVolumeSource;
}

export interface VolumeStatus {
  readonly image?: ImageVolumeStatus;
}

export interface VsphereVirtualDiskVolumeSource {
  readonly volumePath: string;
  readonly fsType?: string;
  readonly storagePolicyName?: string;
  readonly storagePolicyID?: string;
}

export interface WeightedPodAffinityTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string;
  readonly gmsaCredentialSpec?: string;
  readonly runAsUserName?: string;
  readonly hostProcess?: boolean;
}
