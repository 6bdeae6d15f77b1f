// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.

/** Its form is described in ../schema/descriptions.ts. */
export const descriptionTable: string = String.raw`
* apiVersion	APIVersion defines the group and version of the object's schema, such as apps/v1.
* kind	The sort of this object, such as Deployment.
* metadata	Standard object's metadata: name, namespace, labels, owners, versions.
* spec	The wanted state.
* status	The observed state. Written by controllers, not by users.
* items	The objects in the list.
* observedGeneration	The metadata.generation that this was written about.
* conditions	The latest observations about the object, at most one of each type.
*Condition type	The aspect that is observed.
*Condition status	Whether it is the case: True, False or Unknown.
*Condition reason	One word for why, meant for programs.
*Condition message	Why, meant for people.
*Condition lastTransitionTime	When the status last changed.
*Condition lastUpdateTime	When the condition was last written.
*Condition lastProbeTime	When the condition was last looked at.
admissionregistration/v1.MutatingAdmissionPolicy 	Changes in CEL that are made to objects before they are stored.
admissionregistration/v1.MutatingAdmissionPolicyBinding 	Where a policy that changes objects holds, and with which parameters.
admissionregistration/v1.MutatingWebhookConfiguration 	Web hooks that may change objects before they are stored.
admissionregistration/v1.MutatingWebhookConfiguration webhooks	The hooks, with what they want to see.
admissionregistration/v1.ValidatingAdmissionPolicy 	Rules in CEL that may refuse objects before they are stored.
admissionregistration/v1.ValidatingAdmissionPolicyBinding 	Where a policy holds, with which parameters, and what a violation leads to.
admissionregistration/v1.ValidatingWebhookConfiguration 	Web hooks that may refuse objects before they are stored.
admissionregistration/v1.ValidatingWebhookConfiguration webhooks	The hooks, with what they want to see.
apiextensions/v1.CustomResourceDefinition 	A kind that users add to the API.
apiextensions/v1.CustomResourceDefinitionSpec group	The API group of the kind.
apiextensions/v1.CustomResourceDefinitionSpec names	How the kind is called: plural, singular, kind, short names.
apiextensions/v1.CustomResourceDefinitionSpec scope	Namespaced or Cluster.
apiextensions/v1.CustomResourceDefinitionSpec versions	The versions in which the kind is served; exactly one is stored.
apiextensions/v1.CustomResourceDefinitionSpec conversion	How objects are converted between versions.
apiextensions/v1.CustomResourceDefinitionVersion name	Such as v1 or v1alpha1.
apiextensions/v1.CustomResourceDefinitionVersion served	Whether the API offers this version.
apiextensions/v1.CustomResourceDefinitionVersion storage	Whether objects are stored in this version.
apiextensions/v1.CustomResourceDefinitionVersion schema	The form of the objects: used for validation, pruning and defaults.
apiextensions/v1.CustomResourceDefinitionVersion subresources	Whether status and scale have endpoints of their own.
apiextensions/v1.CustomResourceDefinitionVersion additionalPrinterColumns	Columns that kubectl get shows.
apiextensions/v1.CustomResourceDefinitionVersion selectableFields	Fields that a field selector may use.
apiregistration/v1.APIService 	The server that answers for a group and version of the API: this one, or a service behind it.
apps/v1.ControllerRevision 	A snapshot of what a controller wanted at some time, to go back to.
apps/v1.ControllerRevision data	The snapshot.
apps/v1.ControllerRevision revision	Its number; higher is newer.
apps/v1.DaemonSet 	Runs one pod on every node that fits.
apps/v1.DaemonSetSpec replicas	How many pods are wanted.
apps/v1.DaemonSetSpec selector	Which pods belong to this. Must match the template's labels. Cannot be changed.
apps/v1.DaemonSetSpec template	The template of the pods.
apps/v1.DaemonSetSpec minReadySeconds	How long a pod must have been ready to count as available.
apps/v1.DaemonSetSpec revisionHistoryLimit	How many old revisions are kept for going back.
apps/v1.DaemonSetSpec updateStrategy	How pods are replaced when the template changes.
apps/v1.DaemonSetStatus desiredNumberScheduled	How many nodes should run the pod.
apps/v1.DaemonSetStatus currentNumberScheduled	How many of them do.
apps/v1.DaemonSetStatus numberMisscheduled	How many nodes run it that should not.
apps/v1.DaemonSetStatus numberReady	How many pods are ready.
apps/v1.DaemonSetStatus numberAvailable	How many have been ready for long enough.
apps/v1.DaemonSetStatus numberUnavailable	How many are missing.
apps/v1.DaemonSetStatus updatedNumberScheduled	How many are of the newest template.
apps/v1.Deployment 	Keeps a number of equal pods running, and replaces them step by step when their template changes.
apps/v1.DeploymentSpec replicas	How many pods are wanted.
apps/v1.DeploymentSpec selector	Which pods belong to this. Must match the template's labels. Cannot be changed.
apps/v1.DeploymentSpec template	The template of the pods.
apps/v1.DeploymentSpec minReadySeconds	How long a pod must have been ready to count as available.
apps/v1.DeploymentSpec revisionHistoryLimit	How many old revisions are kept for going back.
apps/v1.DeploymentSpec strategy	How old pods are replaced by new ones.
apps/v1.DeploymentSpec paused	Changes of the template wait.
apps/v1.DeploymentSpec progressDeadlineSeconds	After how long without progress a rollout counts as failed.
apps/v1.DeploymentStatus replicas	How many pods there are.
apps/v1.DeploymentStatus readyReplicas	How many of them are ready.
apps/v1.DeploymentStatus availableReplicas	How many have been ready for long enough.
apps/v1.DeploymentStatus updatedReplicas	How many are of the newest template.
apps/v1.DeploymentStatus currentReplicas	How many are of the current revision.
apps/v1.DeploymentStatus unavailableReplicas	How many are missing to what is wanted.
apps/v1.DeploymentStatus fullyLabeledReplicas	How many have all labels of the template.
apps/v1.DeploymentStatus terminatingReplicas	How many are being deleted.
apps/v1.DeploymentStatus collisionCount	How often a name was taken already; makes the next one different.
apps/v1.DeploymentStrategy type	RollingUpdate, or Recreate: all old ones go before new ones come.
apps/v1.DeploymentStrategy rollingUpdate	How many may be missing and how many too many meanwhile.
apps/v1.ReplicaSet 	Keeps a number of equal pods running. Usually made by a deployment.
apps/v1.ReplicaSetSpec replicas	How many pods are wanted.
apps/v1.ReplicaSetSpec selector	Which pods belong to this. Must match the template's labels. Cannot be changed.
apps/v1.ReplicaSetSpec template	The template of the pods.
apps/v1.ReplicaSetSpec minReadySeconds	How long a pod must have been ready to count as available.
apps/v1.ReplicaSetSpec revisionHistoryLimit	How many old revisions are kept for going back.
apps/v1.ReplicaSetStatus replicas	How many pods there are.
apps/v1.ReplicaSetStatus readyReplicas	How many of them are ready.
apps/v1.ReplicaSetStatus availableReplicas	How many have been ready for long enough.
apps/v1.ReplicaSetStatus updatedReplicas	How many are of the newest template.
apps/v1.ReplicaSetStatus currentReplicas	How many are of the current revision.
apps/v1.ReplicaSetStatus unavailableReplicas	How many are missing to what is wanted.
apps/v1.ReplicaSetStatus fullyLabeledReplicas	How many have all labels of the template.
apps/v1.ReplicaSetStatus terminatingReplicas	How many are being deleted.
apps/v1.ReplicaSetStatus collisionCount	How often a name was taken already; makes the next one different.
apps/v1.RollingUpdateDeployment maxSurge	How many pods there may be above what is wanted, as a number or percentage.
apps/v1.RollingUpdateDeployment maxUnavailable	How many pods may be missing, as a number or percentage.
apps/v1.StatefulSet 	Keeps pods that are not equal: each has a name, an order and volumes of its own.
apps/v1.StatefulSetSpec replicas	How many pods are wanted.
apps/v1.StatefulSetSpec selector	Which pods belong to this. Must match the template's labels. Cannot be changed.
apps/v1.StatefulSetSpec template	The template of the pods.
apps/v1.StatefulSetSpec minReadySeconds	How long a pod must have been ready to count as available.
apps/v1.StatefulSetSpec revisionHistoryLimit	How many old revisions are kept for going back.
apps/v1.StatefulSetSpec serviceName	The service that gives the pods their network names.
apps/v1.StatefulSetSpec volumeClaimTemplates	Claims that each pod gets for itself.
apps/v1.StatefulSetSpec podManagementPolicy	One after another (OrderedReady), or all at once (Parallel).
apps/v1.StatefulSetSpec updateStrategy	How pods are replaced when the template changes.
apps/v1.StatefulSetSpec persistentVolumeClaimRetentionPolicy	The fate of the claims when pods go.
apps/v1.StatefulSetSpec ordinals	With which number the pods' names begin.
apps/v1.StatefulSetStatus replicas	How many pods there are.
apps/v1.StatefulSetStatus readyReplicas	How many of them are ready.
apps/v1.StatefulSetStatus availableReplicas	How many have been ready for long enough.
apps/v1.StatefulSetStatus updatedReplicas	How many are of the newest template.
apps/v1.StatefulSetStatus currentReplicas	How many are of the current revision.
apps/v1.StatefulSetStatus unavailableReplicas	How many are missing to what is wanted.
apps/v1.StatefulSetStatus fullyLabeledReplicas	How many have all labels of the template.
apps/v1.StatefulSetStatus terminatingReplicas	How many are being deleted.
apps/v1.StatefulSetStatus collisionCount	How often a name was taken already; makes the next one different.
apps/v1.StatefulSetStatus currentRevision	The revision that the current pods are of.
apps/v1.StatefulSetStatus updateRevision	The revision that pods are brought to.
authentication/v1.SelfSubjectReview 	Asks as whom the server sees the asker.
authentication/v1.TokenRequest 	Asks for a token of a service account.
authentication/v1.TokenReview 	Asks whose token this is.
authorization/v1.LocalSubjectAccessReview 	Asks whether somebody may do something in one namespace.
authorization/v1.SelfSubjectAccessReview 	Asks whether the asker may do something.
authorization/v1.SelfSubjectRulesReview 	Asks what the asker may do in a namespace.
authorization/v1.SubjectAccessReview 	Asks whether somebody may do something.
autoscaling/v1.HorizontalPodAutoscaler 	Changes the number of pods of something by their use of processors.
autoscaling/v1.Scale 	The number of pods of something, without the rest.
autoscaling/v1.ScaleSpec replicas	How many are wanted.
autoscaling/v1.ScaleStatus replicas	How many there are.
autoscaling/v1.ScaleStatus selector	Which pods belong to it, as text.
autoscaling/v2.HorizontalPodAutoscaler 	Changes the number of pods of something by what is measured.
autoscaling/v2.HorizontalPodAutoscalerSpec scaleTargetRef	The object that is scaled.
autoscaling/v2.HorizontalPodAutoscalerSpec minReplicas	At least so many pods.
autoscaling/v2.HorizontalPodAutoscalerSpec maxReplicas	At most so many pods.
autoscaling/v2.HorizontalPodAutoscalerSpec metrics	The measurements, each with its target.
autoscaling/v2.HorizontalPodAutoscalerSpec behavior	How fast numbers may change.
batch/v1.CronJob 	Makes a job again and again, by a schedule.
batch/v1.CronJobSpec schedule	When, in the form of cron: minute, hour, day, month, weekday.
batch/v1.CronJobSpec timeZone	The time zone of the schedule, by name.
batch/v1.CronJobSpec concurrencyPolicy	The policy while the last job still runs: Allow, Forbid or Replace.
batch/v1.CronJobSpec startingDeadlineSeconds	How late a job may start.
batch/v1.CronJobSpec suspend	No new jobs while this is true.
batch/v1.CronJobSpec jobTemplate	The template of the jobs.
batch/v1.CronJobSpec successfulJobsHistoryLimit	How many successful jobs are kept.
batch/v1.CronJobSpec failedJobsHistoryLimit	How many failed jobs are kept.
batch/v1.CronJobStatus active	The jobs that run.
batch/v1.CronJobStatus lastScheduleTime	When a job was last due.
batch/v1.CronJobStatus lastSuccessfulTime	When a job last succeeded.
batch/v1.Job 	Runs pods until enough of them have succeeded.
batch/v1.JobSpec parallelism	How many pods may run at once.
batch/v1.JobSpec completions	How many must succeed.
batch/v1.JobSpec completionMode	NonIndexed: any will do. Indexed: one for each number.
batch/v1.JobSpec backoffLimit	How many failures are too many.
batch/v1.JobSpec backoffLimitPerIndex	How many failures of one index are too many.
batch/v1.JobSpec maxFailedIndexes	How many failed indices are too many.
batch/v1.JobSpec activeDeadlineSeconds	How long the job may take.
batch/v1.JobSpec ttlSecondsAfterFinished	How long it is kept after its end.
batch/v1.JobSpec suspend	No pods run while this is true.
batch/v1.JobSpec template	The template of the pods.
batch/v1.JobSpec selector	Which pods belong to the job. Made by the server.
batch/v1.JobSpec podFailurePolicy	Which failures count, and which end the job.
batch/v1.JobSpec successPolicy	When the job counts as successful before all are done.
batch/v1.JobSpec podReplacementPolicy	Whether a pod is replaced as soon as it is ending, or when it has ended.
batch/v1.JobSpec manualSelector	The selector was chosen by hand. Rarely wise.
batch/v1.JobStatus startTime	When the job was taken up.
batch/v1.JobStatus completionTime	When it succeeded.
batch/v1.JobStatus active	How many pods run.
batch/v1.JobStatus ready	How many pods are ready.
batch/v1.JobStatus succeeded	How many pods have succeeded.
batch/v1.JobStatus failed	How many pods have failed.
batch/v1.JobStatus terminating	How many pods are being deleted.
certificates/v1.CertificateSigningRequest 	Asks a signer for a certificate.
coordination/v1.Lease 	Says who holds something for now, such as leadership or a node's heartbeat.
coordination/v1.LeaseSpec holderIdentity	The identity of the holder.
coordination/v1.LeaseSpec leaseDurationSeconds	How long the lease holds after its last renewal.
coordination/v1.LeaseSpec acquireTime	Since when the holder has it.
coordination/v1.LeaseSpec renewTime	When the holder last renewed it.
coordination/v1.LeaseSpec leaseTransitions	How often it has changed hands.
core/v1.Binding 	Places a pod on a node.
core/v1.Binding target	The node.
core/v1.ComponentStatus 	The health of a part of the control plane. Not used any more.
core/v1.ConfigMap 	Settings for pods, as texts and bytes under names.
core/v1.ConfigMap data	Texts by name.
core/v1.ConfigMap binaryData	Bytes by name.
core/v1.ConfigMap immutable	The content cannot be changed any more.
core/v1.Container 	One container of a pod.
core/v1.Container name	Unique within the pod.
core/v1.Container image	The image to run.
core/v1.Container command	The program that runs instead of the image's entry point. Not run in a shell.
core/v1.Container args	Arguments, instead of the image's own.
core/v1.Container workingDir	The folder in which the container starts.
core/v1.Container ports	Ports that the container listens on. For information: leaving one out does not close it.
core/v1.Container env	Environment variables.
core/v1.Container envFrom	Config maps and secrets whose entries become environment variables.
core/v1.Container resources	The resources that the container needs, and may use at most.
core/v1.Container volumeMounts	Where volumes of the pod appear in the container.
core/v1.Container volumeDevices	Block devices of the pod that appear in the container.
core/v1.Container livenessProbe	A check whose failure restarts the container.
core/v1.Container readinessProbe	A check that says whether the container can take traffic.
core/v1.Container startupProbe	A check that holds back the others until the container has started.
core/v1.Container lifecycle	Actions right after the start and before the stop.
core/v1.Container terminationMessagePath	The file from which the last words of the container are read.
core/v1.Container terminationMessagePolicy	Where last words come from: the file, or the log after an error.
core/v1.Container imagePullPolicy	When to fetch the image: Always, IfNotPresent or Never.
core/v1.Container securityContext	As whom and with which privileges the container runs.
core/v1.Container stdin	Keep standard input open.
core/v1.Container stdinOnce	Close standard input after the first one who attached has left.
core/v1.Container tty	Give the container a terminal; needs stdin.
core/v1.Container restartPolicy	For init containers, Always makes one that goes on running beside the others.
core/v1.ContainerPort containerPort	The number of the port.
core/v1.ContainerPort protocol	TCP, UDP or SCTP.
core/v1.ContainerPort name	A name by which services and probes can refer to the port.
core/v1.ContainerPort hostPort	The same port on the node; rarely wanted.
core/v1.ContainerPort hostIP	The node's address to which hostPort is bound.
core/v1.Endpoints 	The addresses behind a service. The older form of EndpointSlice.
core/v1.EnvVar name	The name of the variable.
core/v1.EnvVar value	Its value; $(NAME) is replaced by the value of another variable.
core/v1.EnvVar valueFrom	Where the value comes from.
core/v1.EphemeralContainer 	A container that is added to a running pod, to look into it.
core/v1.EphemeralContainer targetContainerName	The container whose processes it sees.
core/v1.EphemeralContainerCommon name	Unique within the pod.
core/v1.EphemeralContainerCommon image	The image to run.
core/v1.EphemeralContainerCommon command	The program that runs instead of the image's entry point. Not run in a shell.
core/v1.EphemeralContainerCommon args	Arguments, instead of the image's own.
core/v1.EphemeralContainerCommon workingDir	The folder in which the container starts.
core/v1.EphemeralContainerCommon ports	Ports that the container listens on. For information: leaving one out does not close it.
core/v1.EphemeralContainerCommon env	Environment variables.
core/v1.EphemeralContainerCommon envFrom	Config maps and secrets whose entries become environment variables.
core/v1.EphemeralContainerCommon resources	The resources that the container needs, and may use at most.
core/v1.EphemeralContainerCommon volumeMounts	Where volumes of the pod appear in the container.
core/v1.EphemeralContainerCommon volumeDevices	Block devices of the pod that appear in the container.
core/v1.EphemeralContainerCommon livenessProbe	A check whose failure restarts the container.
core/v1.EphemeralContainerCommon readinessProbe	A check that says whether the container can take traffic.
core/v1.EphemeralContainerCommon startupProbe	A check that holds back the others until the container has started.
core/v1.EphemeralContainerCommon lifecycle	Actions right after the start and before the stop.
core/v1.EphemeralContainerCommon terminationMessagePath	The file from which the last words of the container are read.
core/v1.EphemeralContainerCommon terminationMessagePolicy	Where last words come from: the file, or the log after an error.
core/v1.EphemeralContainerCommon imagePullPolicy	When to fetch the image: Always, IfNotPresent or Never.
core/v1.EphemeralContainerCommon securityContext	As whom and with which privileges the container runs.
core/v1.EphemeralContainerCommon stdin	Keep standard input open.
core/v1.EphemeralContainerCommon stdinOnce	Close standard input after the first one who attached has left.
core/v1.EphemeralContainerCommon tty	Give the container a terminal; needs stdin.
core/v1.EphemeralContainerCommon restartPolicy	For init containers, Always makes one that goes on running beside the others.
core/v1.Event 	A note that something happened to an object. Kept for a while only.
core/v1.Event involvedObject	The object that it is about.
core/v1.Event reason	One word for what happened.
core/v1.Event message	A description of the occurrence, for people.
core/v1.Event type	Normal or Warning.
core/v1.Event count	How often it happened.
core/v1.Event firstTimestamp	When it first happened.
core/v1.Event lastTimestamp	When it last happened.
core/v1.Event source	The component that reports it.
core/v1.LimitRange 	Bounds and defaults for what single pods, containers and claims of a namespace ask for.
core/v1.Namespace 	A scope for names: objects of most kinds live in one, and go with it.
core/v1.NamespaceStatus phase	Active, or Terminating while it is being emptied.
core/v1.Node 	A machine that runs pods.
core/v1.NodeSpec unschedulable	No new pods are placed here.
core/v1.NodeSpec taints	Keep away pods that do not tolerate them.
core/v1.NodeSpec podCIDR	The addresses of the node's pods.
core/v1.NodeSpec podCIDRs	The addresses of the node's pods, by family.
core/v1.NodeSpec providerID	How the cloud calls the machine.
core/v1.NodeStatus capacity	The resources of the machine.
core/v1.NodeStatus allocatable	The part of them that pods may use.
core/v1.NodeStatus addresses	How the machine is reached.
core/v1.NodeStatus nodeInfo	The system that runs on the machine.
core/v1.NodeStatus images	Images that are there already.
core/v1.PersistentVolume 	Storage that outlives pods.
core/v1.PersistentVolumeClaim 	Asks for storage, and is given a volume.
core/v1.PersistentVolumeClaimSpec accessModes	How it is to be mounted.
core/v1.PersistentVolumeClaimSpec resources	How large it must be.
core/v1.PersistentVolumeClaimSpec storageClassName	The class of storage; the default one if absent.
core/v1.PersistentVolumeClaimSpec volumeName	The volume that it has.
core/v1.PersistentVolumeClaimSpec volumeMode	Filesystem or Block.
core/v1.PersistentVolumeClaimSpec selector	Labels that the volume must have.
core/v1.PersistentVolumeClaimSpec dataSource	A snapshot or claim that it starts from.
core/v1.PersistentVolumeClaimSpec dataSourceRef	An object that it starts from.
core/v1.PersistentVolumeClaimStatus phase	Pending, Bound or Lost.
core/v1.PersistentVolumeClaimStatus capacity	How large it is.
core/v1.PersistentVolumeClaimStatus accessModes	How the volume may be mounted.
core/v1.PersistentVolumeSpec capacity	How large it is.
core/v1.PersistentVolumeSpec accessModes	How it may be mounted.
core/v1.PersistentVolumeSpec persistentVolumeReclaimPolicy	Its fate when its claim goes: Retain, Delete or Recycle.
core/v1.PersistentVolumeSpec claimRef	The claim that has it.
core/v1.PersistentVolumeSpec storageClassName	Its class; only claims of the same class get it.
core/v1.PersistentVolumeSpec volumeMode	Filesystem or Block.
core/v1.PersistentVolumeSpec nodeAffinity	From which nodes it can be reached.
core/v1.PersistentVolumeSpec mountOptions	Options for mounting it.
core/v1.Pod 	Containers that run together on one node and share network and volumes.
core/v1.PodSpec 	The containers of a pod, and the way in which they run.
core/v1.PodSpec containers	The containers of the pod; at least one.
core/v1.PodSpec initContainers	Containers that run one after another before the others start.
core/v1.PodSpec ephemeralContainers	Containers that are added to a running pod, to look into it.
core/v1.PodSpec volumes	Storage that containers may mount.
core/v1.PodSpec restartPolicy	Whether containers that end are started again: Always, OnFailure or Never.
core/v1.PodSpec terminationGracePeriodSeconds	How long the pod may take to stop before it is killed.
core/v1.PodSpec activeDeadlineSeconds	How long the pod may run before it is failed.
core/v1.PodSpec dnsPolicy	Where the containers' name resolution comes from.
core/v1.PodSpec dnsConfig	Further settings of name resolution.
core/v1.PodSpec nodeSelector	Labels that a node must have to run the pod.
core/v1.PodSpec nodeName	The node that runs the pod. Usually set by the scheduler.
core/v1.PodSpec affinity	Wishes and demands about nodes, and about other pods near by.
core/v1.PodSpec tolerations	Taints of nodes that the pod puts up with.
core/v1.PodSpec topologySpreadConstraints	How pods of this sort spread over zones, nodes and the like.
core/v1.PodSpec schedulerName	The scheduler that places the pod.
core/v1.PodSpec schedulingGates	Names of those who must still agree before the pod is placed.
core/v1.PodSpec priorityClassName	How important the pod is, by name.
core/v1.PodSpec priority	How important the pod is, as a number; higher ones may push out lower ones.
core/v1.PodSpec preemptionPolicy	Whether the pod may push out others.
core/v1.PodSpec serviceAccountName	As whom the pod speaks to the API.
core/v1.PodSpec automountServiceAccountToken	Whether the token of the service account is mounted.
core/v1.PodSpec hostNetwork	Use the node's network.
core/v1.PodSpec hostPID	Share the node's processes.
core/v1.PodSpec hostIPC	Share the node's interprocess communication.
core/v1.PodSpec hostUsers	Use the node's user ids.
core/v1.PodSpec hostname	The name by which the pod knows itself.
core/v1.PodSpec subdomain	Makes the pod's full name hostname.subdomain.namespace.svc.
core/v1.PodSpec hostAliases	Further lines of the pod's hosts file.
core/v1.PodSpec imagePullSecrets	Secrets with which images are fetched.
core/v1.PodSpec securityContext	As whom and with which privileges the containers run, unless they say otherwise.
core/v1.PodSpec runtimeClassName	With which runtime the pod runs.
core/v1.PodSpec overhead	The resources that the pod itself costs besides its containers.
core/v1.PodSpec readinessGates	Conditions that others set and that must be true for the pod to be ready.
core/v1.PodSpec enableServiceLinks	Whether services appear as environment variables.
core/v1.PodSpec shareProcessNamespace	Containers see each other's processes.
core/v1.PodSpec os	The operating system that the containers need.
core/v1.PodSpec resourceClaims	Claims of devices that containers may use.
core/v1.PodSpec resources	The resources that the pod as a whole needs, and may use at most.
core/v1.PodStatus phase	Pending, Running, Succeeded, Failed or Unknown: where in its life the pod is.
core/v1.PodStatus podIP	The pod's address.
core/v1.PodStatus podIPs	All addresses of the pod, at most one of each family.
core/v1.PodStatus hostIP	The address of the pod's node.
core/v1.PodStatus startTime	When the node took the pod on.
core/v1.PodStatus containerStatuses	The state of each container.
core/v1.PodStatus initContainerStatuses	The state of each init container.
core/v1.PodStatus qosClass	Guaranteed, Burstable or BestEffort: the order in which pods go when a node runs out of something.
core/v1.PodStatus nominatedNodeName	The node on which others are pushed out for the pod.
core/v1.PodStatus reason	One word for why the pod is in this state.
core/v1.PodStatus message	Why the pod is in this state, for people.
core/v1.PodTemplate 	A description from which pods can be made.
core/v1.PodTemplateSpec 	The pods that are made from this.
core/v1.Probe 	A check of a container.
core/v1.Probe initialDelaySeconds	How long to wait before the first check.
core/v1.Probe periodSeconds	How often to check.
core/v1.Probe timeoutSeconds	How long one check may take.
core/v1.Probe successThreshold	How many successes in a row make up for a failure.
core/v1.Probe failureThreshold	How many failures in a row count.
core/v1.Probe terminationGracePeriodSeconds	How long a container that failed the check may take to stop.
core/v1.ProbeHandler exec	Runs a command; 0 is success.
core/v1.ProbeHandler httpGet	Asks for a URL; 200 to 399 is success.
core/v1.ProbeHandler tcpSocket	Opens a connection.
core/v1.ProbeHandler grpc	Asks the gRPC health service.
core/v1.ReplicationController 	The older form of ReplicaSet.
core/v1.ReplicationControllerSpec replicas	How many pods are wanted.
core/v1.ReplicationControllerSpec selector	Which pods belong to this. Must match the template's labels. Cannot be changed.
core/v1.ReplicationControllerSpec template	The template of the pods.
core/v1.ReplicationControllerSpec minReadySeconds	How long a pod must have been ready to count as available.
core/v1.ReplicationControllerSpec revisionHistoryLimit	How many old revisions are kept for going back.
core/v1.ReplicationControllerStatus replicas	How many pods there are.
core/v1.ReplicationControllerStatus readyReplicas	How many of them are ready.
core/v1.ReplicationControllerStatus availableReplicas	How many have been ready for long enough.
core/v1.ReplicationControllerStatus updatedReplicas	How many are of the newest template.
core/v1.ReplicationControllerStatus currentReplicas	How many are of the current revision.
core/v1.ReplicationControllerStatus unavailableReplicas	How many are missing to what is wanted.
core/v1.ReplicationControllerStatus fullyLabeledReplicas	How many have all labels of the template.
core/v1.ReplicationControllerStatus terminatingReplicas	How many are being deleted.
core/v1.ReplicationControllerStatus collisionCount	How often a name was taken already; makes the next one different.
core/v1.ResourceQuota 	Bounds for what a namespace may use in total.
core/v1.ResourceQuotaSpec hard	The bounds by name.
core/v1.ResourceQuotaSpec scopes	Only pods for which all of these hold count.
core/v1.ResourceQuotaStatus hard	The bounds that are in force.
core/v1.ResourceQuotaStatus used	The amounts in use.
core/v1.ResourceRequirements requests	The reserved amounts, such as of cpu and memory.
core/v1.ResourceRequirements limits	The greatest amounts that may be used.
core/v1.ResourceRequirements claims	Claims of the pod that the container uses.
core/v1.Secret 	Settings that not everybody should read.
core/v1.Secret data	Bytes by name, in base64.
core/v1.Secret stringData	Texts by name. Only for writing: they end up in data.
core/v1.Secret type	The meaning of the entries, for programs.
core/v1.Secret immutable	The content cannot be changed any more.
core/v1.SecurityContext runAsUser	The user id of the process.
core/v1.SecurityContext runAsGroup	The group id of the process.
core/v1.SecurityContext runAsNonRoot	Refuse to run as root.
core/v1.SecurityContext privileged	All the rights of root on the node.
core/v1.SecurityContext allowPrivilegeEscalation	Whether a process may get more rights than its parent.
core/v1.SecurityContext readOnlyRootFilesystem	Nothing may be written but to volumes.
core/v1.SecurityContext capabilities	Linux capabilities to add and to drop.
core/v1.SecurityContext seccompProfile	Which system calls are allowed.
core/v1.Service 	A stable address for pods that come and go.
core/v1.ServiceAccount 	An identity for pods.
core/v1.ServiceAccount imagePullSecrets	Secrets for fetching images, given to all pods of this account.
core/v1.ServiceAccount automountServiceAccountToken	Whether pods get a token by default.
core/v1.ServiceAccount secrets	Secrets that pods of this account may use.
core/v1.ServicePort port	The port of the service.
core/v1.ServicePort targetPort	The port of the pods, by number or name.
core/v1.ServicePort nodePort	The port on every node.
core/v1.ServicePort protocol	TCP, UDP or SCTP.
core/v1.ServicePort name	Its name; needed if there is more than one.
core/v1.ServiceSpec selector	Which pods stand behind it.
core/v1.ServiceSpec ports	Which ports it offers.
core/v1.ServiceSpec type	ClusterIP: inside. NodePort: on every node. LoadBalancer: outside. ExternalName: an alias.
core/v1.ServiceSpec clusterIP	Its address inside; None for a service without one. Given by the server unless set.
core/v1.ServiceSpec clusterIPs	Its addresses inside, at most one of each family.
core/v1.ServiceSpec externalIPs	Further addresses at which nodes take traffic for it.
core/v1.ServiceSpec externalName	The name that it is an alias of.
core/v1.ServiceSpec sessionAffinity	ClientIP: the same client is sent to the same pod.
core/v1.ServiceSpec externalTrafficPolicy	Whether outside traffic may be sent on to other nodes.
core/v1.ServiceSpec internalTrafficPolicy	Whether inside traffic may be sent on to other nodes.
core/v1.ServiceSpec ipFamilies	IPv4, IPv6 or both.
core/v1.ServiceSpec ipFamilyPolicy	Whether one family is enough.
core/v1.ServiceSpec publishNotReadyAddresses	Pods that are not ready are offered, too.
core/v1.ServiceSpec loadBalancerClass	The implementation that makes the load balancer.
core/v1.ServiceSpec allocateLoadBalancerNodePorts	Whether a load balancer also gets ports on nodes.
core/v1.Taint key	The name of the taint.
core/v1.Taint value	Its value.
core/v1.Taint effect	NoSchedule, PreferNoSchedule, or NoExecute: which also drives out pods that run.
core/v1.Toleration key	The taint; empty with Exists for all.
core/v1.Toleration operator	Equal, Exists, or a comparison of numbers.
core/v1.Toleration value	The taint's value, for Equal.
core/v1.Toleration effect	Which effect is tolerated; empty for all.
core/v1.Toleration tolerationSeconds	For NoExecute: how long it is tolerated.
core/v1.Volume 	Storage of a pod; exactly one source.
core/v1.Volume name	Unique within the pod.
core/v1.VolumeMount name	The volume.
core/v1.VolumeMount mountPath	Where it appears in the container.
core/v1.VolumeMount readOnly	Nothing may be written.
core/v1.VolumeMount subPath	A path inside the volume instead of its root.
core/v1.VolumeMount subPathExpr	The same, with $(NAME) replaced by environment variables.
core/v1.VolumeMount mountPropagation	Whether mounts made later on one side appear on the other.
core/v1.VolumeSource emptyDir	A folder that lives as long as the pod.
core/v1.VolumeSource hostPath	A path of the node.
core/v1.VolumeSource configMap	Entries of a config map as files.
core/v1.VolumeSource secret	Entries of a secret as files.
core/v1.VolumeSource persistentVolumeClaim	A persistent volume, by its claim.
core/v1.VolumeSource projected	Several sources in one folder.
core/v1.VolumeSource downwardAPI	Facts about the pod as files.
core/v1.VolumeSource csi	A volume of a storage driver that lives as long as the pod.
core/v1.VolumeSource ephemeral	A volume by a claim that lives as long as the pod.
core/v1.VolumeSource nfs	A folder of an NFS server.
core/v1.VolumeSource image	The content of an image.
discovery/v1.EndpointSlice 	Some of the addresses behind a service.
discovery/v1.EndpointSlice addressType	IPv4, IPv6 or FQDN. Cannot be changed.
discovery/v1.EndpointSlice endpoints	The addresses, with what is known of each.
discovery/v1.EndpointSlice ports	The ports that all of them have.
events/v1.Event 	A note that something happened to an object. Kept for a while only.
events/v1.Event regarding	The object that it is about.
events/v1.Event related	Another object that it is about.
events/v1.Event reason	One word for what happened.
events/v1.Event note	A description of the occurrence, for people.
events/v1.Event action	The action that was taken or failed.
events/v1.Event type	Normal or Warning.
events/v1.Event eventTime	When it first happened.
events/v1.Event series	That it went on happening.
events/v1.Event reportingController	The component that reports it.
flowcontrol/v1.FlowSchema 	Sorts requests to the API into priority levels.
flowcontrol/v1.PriorityLevelConfiguration 	How many requests of one level the API works on at once, and how others wait.
meta/v1.DeleteOptions 	How to delete.
meta/v1.DeleteOptions gracePeriodSeconds	How long the object may take to end; 0 means at once.
meta/v1.DeleteOptions preconditions	Refuse unless the object still is the one that is meant.
meta/v1.DeleteOptions propagationPolicy	The fate of dependents: Orphan, Background or Foreground.
meta/v1.DeleteOptions dryRun	All: say what would happen, and do nothing.
meta/v1.LabelSelector 	Selects objects by their labels. All requirements must hold; an empty selector matches everything.
meta/v1.LabelSelector matchLabels	Labels that must have exactly these values.
meta/v1.LabelSelector matchExpressions	Requirements about the presence and values of labels.
meta/v1.LabelSelectorRequirement 	One requirement about one label.
meta/v1.LabelSelectorRequirement key	The label.
meta/v1.LabelSelectorRequirement operator	In, NotIn, Exists or DoesNotExist.
meta/v1.LabelSelectorRequirement values	The values for In and NotIn.
meta/v1.ListMeta 	The members of all lists.
meta/v1.ListMeta resourceVersion	The revision at which the list was true. A watch may start from it.
meta/v1.ListMeta continue	Present if there is more: sent back, it gives the next page.
meta/v1.ListMeta remainingItemCount	How many objects are left after this page, if that is known.
meta/v1.ManagedFieldsEntry 	The fields that one manager has set in one way.
meta/v1.ManagedFieldsEntry manager	Who.
meta/v1.ManagedFieldsEntry operation	How: Apply or Update.
meta/v1.ManagedFieldsEntry fieldsV1	Which fields, as a tree of keys.
meta/v1.ManagedFieldsEntry time	When.
meta/v1.ManagedFieldsEntry subresource	Through which subresource.
meta/v1.ObjectMeta 	The members of all objects.
meta/v1.ObjectMeta name	Unique among the objects of its kind in its namespace. Cannot be changed.
meta/v1.ObjectMeta generateName	A prefix from which the server makes a unique name, if no name is given.
meta/v1.ObjectMeta namespace	The namespace in which the object lives. Empty for kinds that have none. Cannot be changed.
meta/v1.ObjectMeta uid	Unique in time and space: an object that is made again under its old name has another. Given by the server.
meta/v1.ObjectMeta resourceVersion	Changes with every write. An update that carries an old one is refused. Opaque to clients.
meta/v1.ObjectMeta generation	Counts the changes of what is wanted. Given by the server.
meta/v1.ObjectMeta creationTimestamp	CreationTimestamp is a timestamp that the server gives when the object is made.
meta/v1.ObjectMeta deletionTimestamp	When the object will be gone, or would be if nothing held it. Set by a delete.
meta/v1.ObjectMeta deletionGracePeriodSeconds	How long the object may take to end. Set together with deletionTimestamp.
meta/v1.ObjectMeta labels	Short facts about the object by which it can be selected.
meta/v1.ObjectMeta annotations	Facts of any length for tools and people. Not for selecting.
meta/v1.ObjectMeta ownerReferences	The objects on which this one depends: when all are gone, it goes too.
meta/v1.ObjectMeta finalizers	Names of those who must still do something before the object may go. The last one to leave lets it go.
meta/v1.ObjectMeta managedFields	The field managers, with the fields that each has set and the way it did.
meta/v1.ObjectMeta selfLink	Not used any more.
meta/v1.OwnerReference 	An object on which another one depends.
meta/v1.OwnerReference uid	The owner's uid: one of the same name made later is not the owner.
meta/v1.OwnerReference controller	This owner manages the object. At most one does.
meta/v1.OwnerReference blockOwnerDeletion	A foreground deletion of the owner waits until this object is gone.
meta/v1.Status 	The outcome of a request that did not give an object.
meta/v1.Status status	Success or Failure.
meta/v1.Status code	The HTTP status code.
meta/v1.Status reason	One word for why, meant for programs.
meta/v1.Status message	Why, meant for people.
meta/v1.Status details	About what, and what exactly.
networking/v1.IPAddress 	An address that is in use, and by whom.
networking/v1.Ingress 	How requests from outside, by host and path, reach services.
networking/v1.IngressClass 	A way of serving ingresses, under a name.
networking/v1.IngressSpec ingressClassName	The class of the controller that serves it.
networking/v1.IngressSpec rules	Hosts and paths, and where they lead.
networking/v1.IngressSpec tls	Certificates for hosts.
networking/v1.IngressSpec defaultBackend	Where everything else leads.
networking/v1.NetworkPolicy 	The peers that may talk to some pods, and the peers that these may talk to.
networking/v1.NetworkPolicySpec podSelector	The pods that it is about; all of the namespace if empty.
networking/v1.NetworkPolicySpec ingress	The peers that may talk to them. Everything else is closed.
networking/v1.NetworkPolicySpec egress	To whom they may talk. Everything else is closed.
networking/v1.NetworkPolicySpec policyTypes	Whether it is about Ingress, Egress or both.
networking/v1.ServiceCIDR 	Addresses that services may get.
node/v1.RuntimeClass 	A container runtime, under a name.
node/v1.RuntimeClass handler	How nodes call it.
policy/v1.Eviction 	Asks for a pod to be taken away, if budgets allow it.
policy/v1.PodDisruptionBudget 	How many pods of a set may be taken away on purpose at one time.
policy/v1.PodDisruptionBudgetSpec minAvailable	At least so many must stay, as a number or percentage.
policy/v1.PodDisruptionBudgetSpec maxUnavailable	At most so many may be missing, as a number or percentage.
policy/v1.PodDisruptionBudgetSpec selector	Which pods.
policy/v1.PodDisruptionBudgetSpec unhealthyPodEvictionPolicy	Whether pods that do not work anyway may always be taken.
rbac/v1.ClusterRole 	Permissions in all namespaces, or for kinds that have none.
rbac/v1.ClusterRole rules	The permissions.
rbac/v1.ClusterRoleBinding 	Gives a cluster role to somebody, everywhere.
rbac/v1.ClusterRoleBinding roleRef	The role. Cannot be changed.
rbac/v1.ClusterRoleBinding subjects	The users, groups and accounts that get it.
rbac/v1.PolicyRule 	One set of things that may be done.
rbac/v1.PolicyRule verbs	Such as get, list, watch, create; * for all.
rbac/v1.PolicyRule apiGroups	The groups of the resources; the empty text is the core group.
rbac/v1.PolicyRule resources	The resources, with subresources as pods/log; * for all.
rbac/v1.PolicyRule resourceNames	Only objects of these names; all if empty.
rbac/v1.PolicyRule nonResourceURLs	Paths that are no resources, such as /healthz.
rbac/v1.Role 	Permissions within one namespace.
rbac/v1.Role rules	The permissions.
rbac/v1.RoleBinding 	Gives a role to somebody, within one namespace.
rbac/v1.RoleBinding roleRef	The role. Cannot be changed.
rbac/v1.RoleBinding subjects	The users, groups and accounts that get it.
resource/v1.DeviceClass 	A sort of devices that can be claimed.
resource/v1.ResourceClaim 	Asks for devices, and is given some.
resource/v1.ResourceClaimTemplate 	The template of claims that are made for pods.
resource/v1.ResourceSlice 	Some of the devices that a driver offers.
scheduling/v1.PriorityClass 	How important pods are, under a name.
scheduling/v1.PriorityClass value	Higher is more important.
scheduling/v1.PriorityClass globalDefault	For pods that name no class.
scheduling/v1.PriorityClass preemptionPolicy	Whether such pods may push out others.
scheduling/v1.PriorityClass description	Its purpose.
storage/v1.CSIDriver 	A storage driver, and what it can do.
storage/v1.CSINode 	The storage drivers on a node.
storage/v1.CSIStorageCapacity 	How much storage of a class is left somewhere.
storage/v1.StorageClass 	A sort of storage, and who makes it.
storage/v1.StorageClass provisioner	The driver that makes volumes of it.
storage/v1.StorageClass parameters	Settings for the provisioner.
storage/v1.StorageClass reclaimPolicy	The fate of its volumes when their claims go.
storage/v1.StorageClass volumeBindingMode	Immediate, or WaitForFirstConsumer: when a pod needs it.
storage/v1.StorageClass allowVolumeExpansion	Whether claims may grow.
storage/v1.StorageClass mountOptions	Options for mounting its volumes.
storage/v1.VolumeAttachment 	Asks for a volume to be attached to a node, or detached.
storage/v1.VolumeAttributesClass 	Settings of volumes that can be changed while they are in use.
`;
