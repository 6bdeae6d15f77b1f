// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.

/** Its form is described in ../schema/table.ts. */
export const schemaTable: string = `
=admission/v1 io.k8s.api.admission.v1 admission.k8s.io
AdmissionRequest,h uid,s,1,r,e kind,#meta/v1.GroupVersionKind,2,r,e resource,#meta/v1.GroupVersionResource,3,r,e subResource,s,4 requestKind,*#meta/v1.GroupVersionKind,13 requestResource,*#meta/v1.GroupVersionResource,14 requestSubResource,s,15 name,s,5 namespace,s,6 operation,s,7,r,e userInfo,#authentication/v1.UserInfo,8,r,e object,R,9 oldObject,R,10 dryRun,*b,11 options,R,12
AdmissionResponse,h uid,s,1,r,e allowed,b,2,r,e status,*#meta/v1.Status,3 patch,x,4 patchType,*s,5 auditAnnotations,{s,6 warnings,[s,7
AdmissionReview,k,h kind,s, apiVersion,s, request,*#AdmissionRequest,1 response,*#AdmissionResponse,2
=admissionregistration/v1 io.k8s.api.admissionregistration.v1 admissionregistration.k8s.io
+FailurePolicyType Fail;Ignore
+MatchPolicyType Equivalent;Exact
+OperationType *;CONNECT;CREATE;DELETE;UPDATE
+PatchType ApplyConfiguration;JSONPatch
+ReinvocationPolicyType IfNeeded;Never
+ScopeType *;Cluster;Namespaced
+SideEffectClass None;NoneOnDryRun;Some;Unknown
+ValidationAction Audit;Deny;Warn
ApplyConfiguration expression,s,1
AuditAnnotation key,s,1,r,e valueExpression,s,2,r,e
ExpressionWarning fieldRef,s,2,r,e warning,s,3,r,e
JSONPatch expression,s,1
MatchCondition name,s,1,r,e expression,s,2,r,e
MatchResources,a namespaceSelector,*#meta/v1.LabelSelector,1 objectSelector,*#meta/v1.LabelSelector,2 resourceRules,[#NamedRuleWithOperations,3,atomic excludeResourceRules,[#NamedRuleWithOperations,4,atomic matchPolicy,*@MatchPolicyType,7
MutatingAdmissionPolicy,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#MutatingAdmissionPolicySpec,2
MutatingAdmissionPolicyBinding,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#MutatingAdmissionPolicyBindingSpec,2
MutatingAdmissionPolicyBindingList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#MutatingAdmissionPolicyBinding,2,r,e
MutatingAdmissionPolicyBindingSpec policyName,s,1 paramRef,*#ParamRef,2 matchResources,*#MatchResources,3
MutatingAdmissionPolicyList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#MutatingAdmissionPolicy,2,r,e
MutatingAdmissionPolicySpec paramKind,*#ParamKind,1 matchConstraints,*#MatchResources,2 variables,[#Variable,3,atomic mutations,[#Mutation,4,atomic failurePolicy,*@FailurePolicyType,5 matchConditions,[#MatchCondition,6,k=name,p=merge,m=name reinvocationPolicy,@ReinvocationPolicyType,7
MutatingWebhook name,s,1,r,e clientConfig,#WebhookClientConfig,2,r,e rules,[#RuleWithOperations,3,atomic failurePolicy,*@FailurePolicyType,4 matchPolicy,*@MatchPolicyType,9 namespaceSelector,*#meta/v1.LabelSelector,5 objectSelector,*#meta/v1.LabelSelector,11 sideEffects,*@SideEffectClass,6,r,e timeoutSeconds,*i,7 admissionReviewVersions,[s,8,r,e,atomic reinvocationPolicy,*@ReinvocationPolicyType,10 matchConditions,[#MatchCondition,12,k=name,p=merge,m=name
MutatingWebhookConfiguration,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 webhooks,[#MutatingWebhook,2,k=name,p=merge,m=name
MutatingWebhookConfigurationList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#MutatingWebhookConfiguration,2,r,e
Mutation patchType,@PatchType,2,r,e applyConfiguration,*#ApplyConfiguration,3 jsonPatch,*#JSONPatch,4
NamedRuleWithOperations,a resourceNames,[s,1,atomic ,#RuleWithOperations,2,n
ParamKind,a apiVersion,s,1 kind,s,2
ParamRef,a name,s,1 namespace,s,2 selector,*#meta/v1.LabelSelector,3 parameterNotFoundAction,*s,4
Rule,h apiGroups,[s,1,atomic apiVersions,[s,2,atomic resources,[s,3,atomic scope,*@ScopeType,4
RuleWithOperations operations,[@OperationType,1,atomic ,#Rule,2,n
ServiceReference namespace,s,1,r,e name,s,2,r,e path,*s,3 port,*i,4
TypeChecking expressionWarnings,[#ExpressionWarning,1,atomic
ValidatingAdmissionPolicy,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ValidatingAdmissionPolicySpec,2 status,#ValidatingAdmissionPolicyStatus,3
ValidatingAdmissionPolicyBinding,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ValidatingAdmissionPolicyBindingSpec,2,r
ValidatingAdmissionPolicyBindingList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ValidatingAdmissionPolicyBinding,2,r,e
ValidatingAdmissionPolicyBindingSpec policyName,s,1,r paramRef,*#ParamRef,2 matchResources,*#MatchResources,3 validationActions,[@ValidationAction,4,r,set
ValidatingAdmissionPolicyList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ValidatingAdmissionPolicy,2,r,e
ValidatingAdmissionPolicySpec paramKind,*#ParamKind,1 matchConstraints,*#MatchResources,2 validations,[#Validation,3,atomic failurePolicy,*@FailurePolicyType,4 auditAnnotations,[#AuditAnnotation,5,atomic matchConditions,[#MatchCondition,6,k=name,p=merge,m=name variables,[#Variable,7,k=name,p=merge,m=name
ValidatingAdmissionPolicyStatus observedGeneration,l,1 typeChecking,*#TypeChecking,2 conditions,[#meta/v1.Condition,3,k=type
ValidatingWebhook name,s,1,r,e clientConfig,#WebhookClientConfig,2,r,e rules,[#RuleWithOperations,3,atomic failurePolicy,*@FailurePolicyType,4 matchPolicy,*@MatchPolicyType,9 namespaceSelector,*#meta/v1.LabelSelector,5 objectSelector,*#meta/v1.LabelSelector,10 sideEffects,*@SideEffectClass,6,r,e timeoutSeconds,*i,7 admissionReviewVersions,[s,8,r,e,atomic matchConditions,[#MatchCondition,11,k=name,p=merge,m=name
ValidatingWebhookConfiguration,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 webhooks,[#ValidatingWebhook,2,k=name,p=merge,m=name
ValidatingWebhookConfigurationList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ValidatingWebhookConfiguration,2,r,e
Validation expression,s,1,r,e message,s,2 reason,*s,3 messageExpression,s,4
Variable,a name,s,1,r,e expression,s,2,r,e
WebhookClientConfig url,*s,3 service,*#ServiceReference,1 caBundle,x,2
=admissionregistration/v1alpha1 io.k8s.api.admissionregistration.v1alpha1 admissionregistration.k8s.io
+FailurePolicyType Fail;Ignore
+MatchPolicyType Equivalent;Exact
+ParameterNotFoundActionType Allow;Deny
+PatchType ApplyConfiguration;JSONPatch
ApplyConfiguration expression,s,1
JSONPatch expression,s,1
MatchCondition name,s,1,r,e expression,s,2,r,e
MatchResources,a namespaceSelector,*#meta/v1.LabelSelector,1 objectSelector,*#meta/v1.LabelSelector,2 resourceRules,[#NamedRuleWithOperations,3,atomic excludeResourceRules,[#NamedRuleWithOperations,4,atomic matchPolicy,*@MatchPolicyType,7
MutatingAdmissionPolicy,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#MutatingAdmissionPolicySpec,2
MutatingAdmissionPolicyBinding,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#MutatingAdmissionPolicyBindingSpec,2
MutatingAdmissionPolicyBindingList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#MutatingAdmissionPolicyBinding,2,r,e
MutatingAdmissionPolicyBindingSpec policyName,s,1 paramRef,*#ParamRef,2 matchResources,*#MatchResources,3
MutatingAdmissionPolicyList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#MutatingAdmissionPolicy,2,r,e
MutatingAdmissionPolicySpec paramKind,*#ParamKind,1 matchConstraints,*#MatchResources,2 variables,[#Variable,3,atomic mutations,[#Mutation,4,atomic failurePolicy,*@FailurePolicyType,5 matchConditions,[#MatchCondition,6,k=name,p=merge,m=name reinvocationPolicy,@admissionregistration/v1.ReinvocationPolicyType,7
Mutation patchType,@PatchType,2,r,e applyConfiguration,*#ApplyConfiguration,3 jsonPatch,*#JSONPatch,4
NamedRuleWithOperations,a resourceNames,[s,1,atomic ,#admissionregistration/v1.RuleWithOperations,2,n
ParamKind,a apiVersion,s,1 kind,s,2
ParamRef,a name,s,1 namespace,s,2 selector,*#meta/v1.LabelSelector,3 parameterNotFoundAction,*@ParameterNotFoundActionType,4
Variable name,s,1,r,e expression,s,2,r,e
=admissionregistration/v1beta1 io.k8s.api.admissionregistration.v1beta1 admissionregistration.k8s.io
+PatchType ApplyConfiguration;JSONPatch
ApplyConfiguration expression,s,1
JSONPatch expression,s,1
MatchCondition name,s,1,r,e expression,s,2,r,e
MatchResources,a namespaceSelector,*#meta/v1.LabelSelector,1 objectSelector,*#meta/v1.LabelSelector,2 resourceRules,[#NamedRuleWithOperations,3,atomic excludeResourceRules,[#NamedRuleWithOperations,4,atomic matchPolicy,*s,7
MutatingAdmissionPolicy,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#MutatingAdmissionPolicySpec,2
MutatingAdmissionPolicyBinding,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#MutatingAdmissionPolicyBindingSpec,2
MutatingAdmissionPolicyBindingList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#MutatingAdmissionPolicyBinding,2,r,e
MutatingAdmissionPolicyBindingSpec policyName,s,1 paramRef,*#ParamRef,2 matchResources,*#MatchResources,3
MutatingAdmissionPolicyList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#MutatingAdmissionPolicy,2,r,e
MutatingAdmissionPolicySpec paramKind,*#ParamKind,1 matchConstraints,*#MatchResources,2 variables,[#Variable,3,atomic mutations,[#Mutation,4,atomic failurePolicy,*s,5 matchConditions,[#MatchCondition,6,k=name,p=merge,m=name reinvocationPolicy,@admissionregistration/v1.ReinvocationPolicyType,7
Mutation patchType,@PatchType,2,r,e applyConfiguration,*#ApplyConfiguration,3 jsonPatch,*#JSONPatch,4
NamedRuleWithOperations,a resourceNames,[s,1,atomic ,#admissionregistration/v1.RuleWithOperations,2,n
ParamKind,a apiVersion,s,1 kind,s,2
ParamRef,a name,s,1 namespace,s,2 selector,*#meta/v1.LabelSelector,3 parameterNotFoundAction,*s,4
Variable,a name,s,1,r,e expression,s,2,r,e
=apiextensions/v1 io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1 apiextensions.k8s.io
+FieldValueErrorReason FieldValueDuplicate;FieldValueForbidden;FieldValueInvalid;FieldValueRequired
CustomResourceColumnDefinition name,s,1,r,e type,s,2,r,e format,s,3 description,s,4 priority,i,5 jsonPath,s,6,r,e
CustomResourceConversion strategy,s,1,r,e webhook,*#WebhookConversion,2
CustomResourceDefinition,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#CustomResourceDefinitionSpec,2,r,e status,#CustomResourceDefinitionStatus,3
CustomResourceDefinitionCondition type,s,1,r,e status,s,2,r,e lastTransitionTime,T,3 reason,s,4 message,s,5 observedGeneration,l,6
CustomResourceDefinitionList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#CustomResourceDefinition,2,r,e
CustomResourceDefinitionNames plural,s,1,r,e singular,s,2 shortNames,[s,3,atomic kind,s,4,r,e listKind,s,5 categories,[s,6,atomic
CustomResourceDefinitionSpec group,s,1,r,e names,#CustomResourceDefinitionNames,3,r,e scope,s,4,r,e versions,[#CustomResourceDefinitionVersion,7,r,e,atomic conversion,*#CustomResourceConversion,9 preserveUnknownFields,b,10
CustomResourceDefinitionStatus conditions,[#CustomResourceDefinitionCondition,1,e,k=type acceptedNames,#CustomResourceDefinitionNames,2,e storedVersions,[s,3,e,atomic observedGeneration,l,4
CustomResourceDefinitionVersion name,s,1,r,e served,b,2,r,e storage,b,3,r,e deprecated,b,7 deprecationWarning,*s,8 schema,*#CustomResourceValidation,4 subresources,*#CustomResourceSubresources,5 additionalPrinterColumns,[#CustomResourceColumnDefinition,6,atomic selectableFields,[#SelectableField,9,atomic
CustomResourceSubresourceScale specReplicasPath,s,1,r,e statusReplicasPath,s,2,r,e labelSelectorPath,*s,3
CustomResourceSubresourceStatus
CustomResourceSubresources status,*#CustomResourceSubresourceStatus,1 scale,*#CustomResourceSubresourceScale,2
CustomResourceValidation openAPIV3Schema,*#JSONSchemaProps,1
ExternalDocumentation description,s,1 url,s,2
JSONSchemaProps id,s,1 $schema,s,2 $ref,*s,3 description,s,4 type,s,5 format,s,6 title,s,7 default,*J,8 maximum,*d,9 exclusiveMaximum,b,10 minimum,*d,11 exclusiveMinimum,b,12 maxLength,*l,13 minLength,*l,14 pattern,s,15 maxItems,*l,16 minItems,*l,17 uniqueItems,b,18 multipleOf,*d,19 enum,[J,20,atomic maxProperties,*l,21 minProperties,*l,22 required,[s,23,atomic items,*A,24 allOf,[#JSONSchemaProps,25,atomic oneOf,[#JSONSchemaProps,26,atomic anyOf,[#JSONSchemaProps,27,atomic not,*#JSONSchemaProps,28 properties,{#JSONSchemaProps,29 additionalProperties,*B,30 patternProperties,{#JSONSchemaProps,31 dependencies,{C,32 additionalItems,*B,33 definitions,{#JSONSchemaProps,34 externalDocs,*#ExternalDocumentation,35 example,*J,36 nullable,b,37 x-kubernetes-preserve-unknown-fields,*b,38 x-kubernetes-embedded-resource,b,39 x-kubernetes-int-or-string,b,40 x-kubernetes-list-map-keys,[s,41,atomic x-kubernetes-list-type,*s,42 x-kubernetes-map-type,*s,43 x-kubernetes-validations,[#ValidationRule,44,k=rule,p=merge,m=rule
SelectableField jsonPath,s,1,r,e
ServiceReference namespace,s,1,r,e name,s,2,r,e path,*s,3 port,*i,4
ValidationRule rule,s,1,r,e message,s,2 messageExpression,s,3 reason,*@FieldValueErrorReason,4 fieldPath,s,5 optionalOldSelf,*b,6
WebhookClientConfig url,*s,3 service,*#ServiceReference,1 caBundle,x,2
WebhookConversion clientConfig,*#WebhookClientConfig,2 conversionReviewVersions,[s,3,r,e,atomic
=apiregistration/v1 io.k8s.kube-aggregator.pkg.apis.apiregistration.v1 apiregistration.k8s.io
APIService,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#APIServiceSpec,2 status,#APIServiceStatus,3
APIServiceCondition type,s,1,r,e status,s,2,r,e lastTransitionTime,T,3 reason,s,4 message,s,5
APIServiceList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#APIService,2,r,e
APIServiceSpec service,*#ServiceReference,1 group,s,2 version,s,3 insecureSkipTLSVerify,b,4 caBundle,x,5,atomic groupPriorityMinimum,i,7,r,e versionPriority,i,8,r,e
APIServiceStatus conditions,[#APIServiceCondition,1,k=type,p=merge,m=type
ServiceReference namespace,s,1 name,s,2 port,*i,3
=apiserverinternal/v1alpha1 io.k8s.api.apiserverinternal.v1alpha1 internal.apiserver.k8s.io
ServerStorageVersion apiServerID,s,1,r encodingVersion,s,2,r decodableVersions,[s,3,r,set servedVersions,[s,4,set
StorageVersion,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1,r spec,#StorageVersionSpec,2,e status,#StorageVersionStatus,3,e
StorageVersionCondition type,s,1,r,e status,s,2,r,e observedGeneration,l,3 lastTransitionTime,T,4 reason,s,5,r,e message,s,6,r
StorageVersionList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#StorageVersion,2,r,e
StorageVersionSpec
StorageVersionStatus storageVersions,[#ServerStorageVersion,1,k=apiServerID commonEncodingVersion,*s,2 conditions,[#StorageVersionCondition,3,k=type
=apps/v1 io.k8s.api.apps.v1 apps
+DaemonSetUpdateStrategyType OnDelete;RollingUpdate
+DeploymentStrategyType Recreate;RollingUpdate
+PodManagementPolicyType OrderedReady;Parallel
+StatefulSetUpdateStrategyType OnDelete;RollingUpdate
ControllerRevision,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 data,R,2 revision,l,3,r,e
ControllerRevisionList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ControllerRevision,2,r,e
DaemonSet,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#DaemonSetSpec,2 status,#DaemonSetStatus,3
DaemonSetCondition type,s,1,r,e status,s,2,r,e lastTransitionTime,T,3 reason,s,4 message,s,5
DaemonSetList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#DaemonSet,2,r,e
DaemonSetSpec selector,*#meta/v1.LabelSelector,1,r,e template,#core/v1.PodTemplateSpec,2,r,e updateStrategy,#DaemonSetUpdateStrategy,3 minReadySeconds,i,4 revisionHistoryLimit,*i,6
DaemonSetStatus currentNumberScheduled,i,1,r,e numberMisscheduled,i,2,r,e desiredNumberScheduled,i,3,r,e numberReady,i,4,r,e observedGeneration,l,5 updatedNumberScheduled,i,6 numberAvailable,i,7 numberUnavailable,i,8 collisionCount,*i,9 conditions,[#DaemonSetCondition,10,k=type,p=merge,m=type
DaemonSetUpdateStrategy type,@DaemonSetUpdateStrategyType,1 rollingUpdate,*#RollingUpdateDaemonSet,2
Deployment,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#DeploymentSpec,2 status,#DeploymentStatus,3
DeploymentCondition type,s,1,r,e status,s,2,r,e lastUpdateTime,T,6 lastTransitionTime,T,7 reason,s,4 message,s,5
DeploymentList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Deployment,2,r,e
DeploymentSpec replicas,*i,1 selector,*#meta/v1.LabelSelector,2,r,e template,#core/v1.PodTemplateSpec,3,r,e strategy,#DeploymentStrategy,4,p=retainKeys minReadySeconds,i,5 revisionHistoryLimit,*i,6 paused,b,7 progressDeadlineSeconds,*i,9
DeploymentStatus observedGeneration,l,1 replicas,i,2 updatedReplicas,i,3 readyReplicas,i,7 availableReplicas,i,4 unavailableReplicas,i,5 terminatingReplicas,*i,9 conditions,[#DeploymentCondition,6,k=type,p=merge,m=type collisionCount,*i,8
DeploymentStrategy type,@DeploymentStrategyType,1 rollingUpdate,*#RollingUpdateDeployment,2
ReplicaSet,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ReplicaSetSpec,2 status,#ReplicaSetStatus,3
ReplicaSetCondition type,s,1,r,e status,s,2,r,e lastTransitionTime,T,3 reason,s,4 message,s,5
ReplicaSetList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ReplicaSet,2,r,e
ReplicaSetSpec replicas,*i,1 minReadySeconds,i,4 selector,*#meta/v1.LabelSelector,2,r,e template,#core/v1.PodTemplateSpec,3
ReplicaSetStatus replicas,i,1,r,e fullyLabeledReplicas,i,2 readyReplicas,i,4 availableReplicas,i,5 terminatingReplicas,*i,7 observedGeneration,l,3 conditions,[#ReplicaSetCondition,6,k=type,p=merge,m=type
RollingUpdateDaemonSet maxUnavailable,*I,1 maxSurge,*I,2
RollingUpdateDeployment maxUnavailable,*I,1 maxSurge,*I,2
RollingUpdateStatefulSetStrategy partition,*i,1 maxUnavailable,*I,2
StatefulSet,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#StatefulSetSpec,2 status,#StatefulSetStatus,3
StatefulSetCondition type,s,1,r,e status,s,2,r,e lastTransitionTime,T,3 reason,s,4 message,s,5
StatefulSetList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#StatefulSet,2,r,e
StatefulSetOrdinals start,i,1,e
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted,s,1 whenScaled,s,2
StatefulSetSpec replicas,*i,1 selector,*#meta/v1.LabelSelector,2,r,e template,#core/v1.PodTemplateSpec,3,r,e volumeClaimTemplates,[#core/v1.PersistentVolumeClaim,4,atomic serviceName,s,5,e podManagementPolicy,@PodManagementPolicyType,6 updateStrategy,#StatefulSetUpdateStrategy,7 revisionHistoryLimit,*i,8 minReadySeconds,i,9 persistentVolumeClaimRetentionPolicy,*#StatefulSetPersistentVolumeClaimRetentionPolicy,10 ordinals,*#StatefulSetOrdinals,11
StatefulSetStatus observedGeneration,l,1 replicas,i,2,r,e readyReplicas,i,3 currentReplicas,i,4 updatedReplicas,i,5 currentRevision,s,6 updateRevision,s,7 collisionCount,*i,9 conditions,[#StatefulSetCondition,10,k=type,p=merge,m=type availableReplicas,i,11,e
StatefulSetUpdateStrategy type,@StatefulSetUpdateStrategyType,1 rollingUpdate,*#RollingUpdateStatefulSetStrategy,2
=authentication/v1 io.k8s.api.authentication.v1 authentication.k8s.io
BoundObjectReference kind,s,1 apiVersion,s,2 name,s,3 uid,s,4
SelfSubjectReview,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 status,#SelfSubjectReviewStatus,2
SelfSubjectReviewStatus userInfo,#UserInfo,1
TokenRequest,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#TokenRequestSpec,2,e status,#TokenRequestStatus,3
TokenRequestSpec audiences,[s,1,e,atomic expirationSeconds,*l,4,e boundObjectRef,*#BoundObjectReference,3,e
TokenRequestStatus token,s,1,e expirationTimestamp,T,2,e
TokenReview,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#TokenReviewSpec,2,r,e status,#TokenReviewStatus,3
TokenReviewSpec token,s,1,r audiences,[s,2,atomic
TokenReviewStatus authenticated,b,1 user,#UserInfo,2 audiences,[s,4,atomic error,s,3
UserInfo username,s,1 uid,s,2 groups,[s,3,atomic extra,{&s,4
=authorization/v1 io.k8s.api.authorization.v1 authorization.k8s.io
FieldSelectorAttributes rawSelector,s,1 requirements,[#meta/v1.FieldSelectorRequirement,2,atomic
LabelSelectorAttributes rawSelector,s,1 requirements,[#meta/v1.LabelSelectorRequirement,2,atomic
LocalSubjectAccessReview,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#SubjectAccessReviewSpec,2,r,e status,#SubjectAccessReviewStatus,3
NonResourceAttributes path,s,1 verb,s,2
NonResourceRule verbs,[s,1,r,e,atomic nonResourceURLs,[s,2,atomic
ResourceAttributes namespace,s,1 verb,s,2 group,s,3 version,s,4 resource,s,5 subresource,s,6 name,s,7 fieldSelector,*#FieldSelectorAttributes,8 labelSelector,*#LabelSelectorAttributes,9
ResourceRule verbs,[s,1,r,e,atomic apiGroups,[s,2,atomic resources,[s,3,atomic resourceNames,[s,4,atomic
SelfSubjectAccessReview,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#SelfSubjectAccessReviewSpec,2,r,e status,#SubjectAccessReviewStatus,3
SelfSubjectAccessReviewSpec resourceAttributes,*#ResourceAttributes,1 nonResourceAttributes,*#NonResourceAttributes,2
SelfSubjectRulesReview,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#SelfSubjectRulesReviewSpec,2,r,e status,#SubjectRulesReviewStatus,3
SelfSubjectRulesReviewSpec namespace,s,1
SubjectAccessReview,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#SubjectAccessReviewSpec,2,r,e status,#SubjectAccessReviewStatus,3
SubjectAccessReviewSpec resourceAttributes,*#ResourceAttributes,1 nonResourceAttributes,*#NonResourceAttributes,2 user,s,3 groups,[s,4,atomic extra,{&s,5 uid,s,6
SubjectAccessReviewStatus allowed,b,1,r,e denied,b,4 reason,s,2 evaluationError,s,3
SubjectRulesReviewStatus resourceRules,[#ResourceRule,1,r,e,atomic nonResourceRules,[#NonResourceRule,2,r,e,atomic incomplete,b,3,r,e evaluationError,s,4
=autoscaling/v1 io.k8s.api.autoscaling.v1 autoscaling
CrossVersionObjectReference,a kind,s,1,r,e name,s,2,r,e apiVersion,s,3
HorizontalPodAutoscaler,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#HorizontalPodAutoscalerSpec,2,r status,#HorizontalPodAutoscalerStatus,3
HorizontalPodAutoscalerList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#HorizontalPodAutoscaler,2,r,e
HorizontalPodAutoscalerSpec scaleTargetRef,#CrossVersionObjectReference,1,r,e minReplicas,*i,2 maxReplicas,i,3,r,e targetCPUUtilizationPercentage,*i,4
HorizontalPodAutoscalerStatus observedGeneration,*l,1 lastScaleTime,*T,2 currentReplicas,i,3,r,e desiredReplicas,i,4,r,e currentCPUUtilizationPercentage,*i,5
Scale,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ScaleSpec,2 status,#ScaleStatus,3
ScaleSpec replicas,i,1,d=0
ScaleStatus replicas,i,1,r,e selector,s,2
=autoscaling/v2 io.k8s.api.autoscaling.v2 autoscaling
ContainerResourceMetricSource name,s,1,r,e target,#MetricTarget,2,r,e container,s,3,r,e
ContainerResourceMetricStatus name,s,1,r,e current,#MetricValueStatus,2,r,e container,s,3,r,e
CrossVersionObjectReference kind,s,1,r,e name,s,2,r,e apiVersion,s,3
ExternalMetricSource metric,#MetricIdentifier,1,r,e target,#MetricTarget,2,r,e
ExternalMetricStatus metric,#MetricIdentifier,1,r,e current,#MetricValueStatus,2,r,e
HPAScalingPolicy type,s,1,r,e value,i,2,r,e periodSeconds,i,3,r,e
HPAScalingRules stabilizationWindowSeconds,*i,3 selectPolicy,*s,1 policies,[#HPAScalingPolicy,2,atomic tolerance,*Q,4
HorizontalPodAutoscaler,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#HorizontalPodAutoscalerSpec,2,r status,#HorizontalPodAutoscalerStatus,3
HorizontalPodAutoscalerBehavior scaleUp,*#HPAScalingRules,1 scaleDown,*#HPAScalingRules,2
HorizontalPodAutoscalerCondition type,s,1,r,e status,s,2,r,e lastTransitionTime,T,3 reason,s,4 message,s,5
HorizontalPodAutoscalerList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#HorizontalPodAutoscaler,2,r,e
HorizontalPodAutoscalerSpec scaleTargetRef,#CrossVersionObjectReference,1,r,e minReplicas,*i,2 maxReplicas,i,3,r,e metrics,[#MetricSpec,4,atomic behavior,*#HorizontalPodAutoscalerBehavior,5
HorizontalPodAutoscalerStatus observedGeneration,*l,1 lastScaleTime,*T,2 currentReplicas,i,3 desiredReplicas,i,4,r,e currentMetrics,[#MetricStatus,5,e,atomic conditions,[#HorizontalPodAutoscalerCondition,6,k=type,p=merge,m=type
MetricIdentifier name,s,1,r,e selector,*#meta/v1.LabelSelector,2
MetricSpec type,s,1,r,e object,*#ObjectMetricSource,2 pods,*#PodsMetricSource,3 resource,*#ResourceMetricSource,4 containerResource,*#ContainerResourceMetricSource,7 external,*#ExternalMetricSource,5
MetricStatus type,s,1,r,e object,*#ObjectMetricStatus,2 pods,*#PodsMetricStatus,3 resource,*#ResourceMetricStatus,4 containerResource,*#ContainerResourceMetricStatus,7 external,*#ExternalMetricStatus,5
MetricTarget type,s,1,r,e value,*Q,2 averageValue,*Q,3 averageUtilization,*i,4
MetricValueStatus value,*Q,1 averageValue,*Q,2 averageUtilization,*i,3
ObjectMetricSource describedObject,#CrossVersionObjectReference,1,r,e target,#MetricTarget,2,r,e metric,#MetricIdentifier,3,r,e
ObjectMetricStatus metric,#MetricIdentifier,1,r,e current,#MetricValueStatus,2,r,e describedObject,#CrossVersionObjectReference,3,r,e
PodsMetricSource metric,#MetricIdentifier,1,r,e target,#MetricTarget,2,r,e
PodsMetricStatus metric,#MetricIdentifier,1,r,e current,#MetricValueStatus,2,r,e
ResourceMetricSource name,s,1,r,e target,#MetricTarget,2,r,e
ResourceMetricStatus name,s,1,r,e current,#MetricValueStatus,2,r,e
=batch/v1 io.k8s.api.batch.v1 batch
+CompletionMode Indexed;NonIndexed
+ConcurrencyPolicy Allow;Forbid;Replace
+PodFailurePolicyAction Count;FailIndex;FailJob;Ignore
+PodFailurePolicyOnExitCodesOperator In;NotIn
+PodReplacementPolicy Failed;TerminatingOrFailed
CronJob,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#CronJobSpec,2,r status,#CronJobStatus,3
CronJobList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#CronJob,2,r,e
CronJobSpec schedule,s,1,r,e timeZone,*s,8 startingDeadlineSeconds,*l,2 concurrencyPolicy,@ConcurrencyPolicy,3 suspend,*b,4 jobTemplate,#JobTemplateSpec,5,r,e successfulJobsHistoryLimit,*i,6 failedJobsHistoryLimit,*i,7
CronJobStatus active,[#core/v1.ObjectReference,1,atomic lastScheduleTime,*T,4 lastSuccessfulTime,*T,5
Job,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#JobSpec,2 status,#JobStatus,3
JobCondition type,s,1,r,e status,s,2,r,e lastProbeTime,T,3 lastTransitionTime,T,4 reason,s,5 message,s,6
JobList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Job,2,r,e
JobSpec parallelism,*i,1 completions,*i,2 activeDeadlineSeconds,*l,3 podFailurePolicy,*#PodFailurePolicy,11 successPolicy,*#SuccessPolicy,16 backoffLimit,*i,7 backoffLimitPerIndex,*i,12 maxFailedIndexes,*i,13 selector,*#meta/v1.LabelSelector,4 manualSelector,*b,5 template,#core/v1.PodTemplateSpec,6,r,e ttlSecondsAfterFinished,*i,8 completionMode,*@CompletionMode,9 suspend,*b,10 podReplacementPolicy,*@PodReplacementPolicy,14 managedBy,*s,15
JobStatus conditions,[#JobCondition,1,atomic,p=merge,m=type startTime,*T,2 completionTime,*T,3 active,i,4 succeeded,i,5 failed,i,6 terminating,*i,11 completedIndexes,s,7 failedIndexes,*s,10 uncountedTerminatedPods,*#UncountedTerminatedPods,8 ready,*i,9
JobTemplateSpec metadata,#meta/v1.ObjectMeta,1 spec,#JobSpec,2
PodFailurePolicy rules,[#PodFailurePolicyRule,1,r,e,atomic
PodFailurePolicyOnExitCodesRequirement containerName,*s,1 operator,@PodFailurePolicyOnExitCodesOperator,2,r,e values,[i,3,r,e,set
PodFailurePolicyOnPodConditionsPattern type,s,1,r,e status,s,2,e
PodFailurePolicyRule action,@PodFailurePolicyAction,1,r,e onExitCodes,*#PodFailurePolicyOnExitCodesRequirement,2 onPodConditions,[#PodFailurePolicyOnPodConditionsPattern,3,atomic
SuccessPolicy rules,[#SuccessPolicyRule,1,r,e,atomic
SuccessPolicyRule succeededIndexes,*s,1 succeededCount,*i,2
UncountedTerminatedPods succeeded,[s,1,set failed,[s,2,set
=certificates/v1 io.k8s.api.certificates.v1 certificates.k8s.io
+KeyUsage any;cert sign;client auth;code signing;content commitment;crl sign;data encipherment;decipher only;digital signature;email protection;encipher only;ipsec end system;ipsec tunnel;ipsec user;key agreement;key encipherment;microsoft sgc;netscape sgc;ocsp signing;s/mime;server auth;signing;timestamping
CertificateSigningRequest,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#CertificateSigningRequestSpec,2,r,e status,#CertificateSigningRequestStatus,3
CertificateSigningRequestCondition type,s,1,r,e status,s,6,r,e reason,s,2 message,s,3 lastUpdateTime,T,4 lastTransitionTime,T,5
CertificateSigningRequestList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#CertificateSigningRequest,2,r,e
CertificateSigningRequestSpec request,x,1,r,e signerName,s,7,r,e expirationSeconds,*i,8 usages,[@KeyUsage,5,atomic username,s,2 uid,s,3 groups,[s,4,atomic extra,{&s,6
CertificateSigningRequestStatus conditions,[#CertificateSigningRequestCondition,1,k=type certificate,x,2
=certificates/v1alpha1 io.k8s.api.certificates.v1alpha1 certificates.k8s.io
ClusterTrustBundle,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ClusterTrustBundleSpec,2,r,e
ClusterTrustBundleList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ClusterTrustBundle,2,r,e
ClusterTrustBundleSpec signerName,s,1 trustBundle,s,2,r,e
=certificates/v1beta1 io.k8s.api.certificates.v1beta1 certificates.k8s.io
ClusterTrustBundle,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ClusterTrustBundleSpec,2,r,e
ClusterTrustBundleList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ClusterTrustBundle,2,r,e
ClusterTrustBundleSpec signerName,s,1 trustBundle,s,2,r,e
PodCertificateRequest,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#PodCertificateRequestSpec,2,r,e status,#PodCertificateRequestStatus,3
PodCertificateRequestList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#PodCertificateRequest,2,r,e
PodCertificateRequestSpec signerName,s,1,r,e podName,s,2,r,e podUID,s,3,r,e serviceAccountName,s,4,r,e serviceAccountUID,s,5,r,e nodeName,s,6,r,e nodeUID,s,7,r,e maxExpirationSeconds,*i,8,d=86400 pkixPublicKey,x,9,e proofOfPossession,x,10,e stubPKCS10Request,x,12,r,e unverifiedUserAnnotations,{s,11
PodCertificateRequestStatus conditions,[#meta/v1.Condition,1,k=type,p=merge,m=type certificateChain,s,2 notBefore,*T,4 beginRefreshAt,*T,5 notAfter,*T,6
=coordination/v1 io.k8s.api.coordination.v1 coordination.k8s.io
Lease,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#LeaseSpec,2
LeaseList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Lease,2,r,e
LeaseSpec holderIdentity,*s,1 leaseDurationSeconds,*i,2 acquireTime,*M,3 renewTime,*M,4 leaseTransitions,*i,5 strategy,*s,6 preferredHolder,*s,7
=coordination/v1alpha2 io.k8s.api.coordination.v1alpha2 coordination.k8s.io
LeaseCandidate,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#LeaseCandidateSpec,2,r
LeaseCandidateList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#LeaseCandidate,2,r,e
LeaseCandidateSpec leaseName,s,1,r,e pingTime,*M,2 renewTime,*M,3 binaryVersion,s,4,r,e emulationVersion,s,5 strategy,s,6,r
=coordination/v1beta1 io.k8s.api.coordination.v1beta1 coordination.k8s.io
LeaseCandidate,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#LeaseCandidateSpec,2,r
LeaseCandidateList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#LeaseCandidate,2,r,e
LeaseCandidateSpec leaseName,s,1,r,e pingTime,*M,2 renewTime,*M,3 binaryVersion,s,4,r,e emulationVersion,s,5 strategy,s,6,r
=core/v1 io.k8s.api.core.v1 -
+AppArmorProfileType Localhost;RuntimeDefault;Unconfined
+AzureDataDiskCachingMode None;ReadOnly;ReadWrite
+AzureDataDiskKind Dedicated;Managed;Shared
+ClaimResourceStatus ControllerResizeInProgress;ControllerResizeInfeasible;NodeResizeInProgress;NodeResizeInfeasible;NodeResizePending
+DNSPolicy ClusterFirst;ClusterFirstWithHostNet;Default;None
+HostPathType ;BlockDevice;CharDevice;Directory;DirectoryOrCreate;File;FileOrCreate;Socket
+IPFamily ;IPv4;IPv6
+IPFamilyPolicy PreferDualStack;RequireDualStack;SingleStack
+MountPropagationMode Bidirectional;HostToContainer;None
+NamespacePhase Active;Terminating
+NodeInclusionPolicy Honor;Ignore
+NodePhase Pending;Running;Terminated
+NodeSelectorOperator DoesNotExist;Exists;Gt;In;Lt;NotIn
+PersistentVolumeAccessMode ReadOnlyMany;ReadWriteMany;ReadWriteOnce;ReadWriteOncePod
+PersistentVolumeClaimModifyVolumeStatus InProgress;Infeasible;Pending
+PersistentVolumeClaimPhase Bound;Lost;Pending
+PersistentVolumeMode Block;Filesystem
+PersistentVolumePhase Available;Bound;Failed;Pending;Released
+PersistentVolumeReclaimPolicy Delete;Recycle;Retain
+PodFSGroupChangePolicy Always;OnRootMismatch
+PodPhase Failed;Pending;Running;Succeeded;Unknown
+PodQOSClass BestEffort;Burstable;Guaranteed
+PreemptionPolicy Never;PreemptLowerPriority
+ProcMountType Default;Unmasked
+Protocol SCTP;TCP;UDP
+PullPolicy Always;IfNotPresent;Never
+ResourceQuotaScope BestEffort;CrossNamespacePodAffinity;NotBestEffort;NotTerminating;PriorityClass;Terminating;VolumeAttributesClass
+RestartPolicy Always;Never;OnFailure
+ScopeSelectorOperator DoesNotExist;Exists;In;NotIn
+SeccompProfileType Localhost;RuntimeDefault;Unconfined
+ServiceAffinity ClientIP;None
+ServiceExternalTrafficPolicy Cluster;Local
+ServiceInternalTrafficPolicy Cluster;Local
+ServiceType ClusterIP;ExternalName;LoadBalancer;NodePort
+Signal SIGABRT;SIGALRM;SIGBUS;SIGCHLD;SIGCLD;SIGCONT;SIGFPE;SIGHUP;SIGILL;SIGINT;SIGIO;SIGIOT;SIGKILL;SIGPIPE;SIGPOLL;SIGPROF;SIGPWR;SIGQUIT;SIGRTMAX;SIGRTMAX-1;SIGRTMAX-10;SIGRTMAX-11;SIGRTMAX-12;SIGRTMAX-13;SIGRTMAX-14;SIGRTMAX-2;SIGRTMAX-3;SIGRTMAX-4;SIGRTMAX-5;SIGRTMAX-6;SIGRTMAX-7;SIGRTMAX-8;SIGRTMAX-9;SIGRTMIN;SIGRTMIN+1;SIGRTMIN+10;SIGRTMIN+11;SIGRTMIN+12;SIGRTMIN+13;SIGRTMIN+14;SIGRTMIN+15;SIGRTMIN+2;SIGRTMIN+3;SIGRTMIN+4;SIGRTMIN+5;SIGRTMIN+6;SIGRTMIN+7;SIGRTMIN+8;SIGRTMIN+9;SIGSEGV;SIGSTKFLT;SIGSTOP;SIGSYS;SIGTERM;SIGTRAP;SIGTSTP;SIGTTIN;SIGTTOU;SIGURG;SIGUSR1;SIGUSR2;SIGVTALRM;SIGWINCH;SIGXCPU;SIGXFSZ
+SupplementalGroupsPolicy Merge;Strict
+TaintEffect NoExecute;NoSchedule;PreferNoSchedule
+TerminationMessagePolicy FallbackToLogsOnError;File
+TolerationOperator Equal;Exists;Gt;Lt
+URIScheme HTTP;HTTPS
+UnsatisfiableConstraintAction DoNotSchedule;ScheduleAnyway
AWSElasticBlockStoreVolumeSource volumeID,s,1,r,e fsType,s,2 partition,i,3 readOnly,b,4
Affinity nodeAffinity,*#NodeAffinity,1 podAffinity,*#PodAffinity,2 podAntiAffinity,*#PodAntiAffinity,3
AppArmorProfile type,@AppArmorProfileType,1,r,e localhostProfile,*s,2
AttachedVolume name,s,1,r,e devicePath,s,2,r,e
AzureDiskVolumeSource diskName,s,1,r,e diskURI,s,2,r,e cachingMode,*@AzureDataDiskCachingMode,3,d="ReadWrite" fsType,*s,4,d="ext4" readOnly,*b,5,d=false kind,*@AzureDataDiskKind,6,d="Shared"
AzureFilePersistentVolumeSource secretName,s,1,r,e shareName,s,2,r,e readOnly,b,3 secretNamespace,*s,4,e
AzureFileVolumeSource secretName,s,1,r,e shareName,s,2,r,e readOnly,b,3
Binding,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 target,#ObjectReference,2,r,e
CSIPersistentVolumeSource driver,s,1,r,e volumeHandle,s,2,r,e readOnly,b,3 fsType,s,4 volumeAttributes,{s,5 controllerPublishSecretRef,*#SecretReference,6 nodeStageSecretRef,*#SecretReference,7 nodePublishSecretRef,*#SecretReference,8 controllerExpandSecretRef,*#SecretReference,9 nodeExpandSecretRef,*#SecretReference,10
CSIVolumeSource driver,s,1,r,e readOnly,*b,2 fsType,*s,3 volumeAttributes,{s,4 nodePublishSecretRef,*#LocalObjectReference,5
Capabilities add,[s,1,atomic drop,[s,2,atomic
CephFSPersistentVolumeSource monitors,[s,1,r,e,atomic path,s,2 user,s,3 secretFile,s,4 secretRef,*#SecretReference,5 readOnly,b,6
CephFSVolumeSource monitors,[s,1,r,e,atomic path,s,2 user,s,3 secretFile,s,4 secretRef,*#LocalObjectReference,5 readOnly,b,6
CinderPersistentVolumeSource volumeID,s,1,r,e fsType,s,2 readOnly,b,3 secretRef,*#SecretReference,4
CinderVolumeSource volumeID,s,1,r,e fsType,s,2 readOnly,b,3 secretRef,*#LocalObjectReference,4
ClientIPConfig timeoutSeconds,*i,1
ClusterTrustBundleProjection name,*s,1 signerName,*s,2 labelSelector,*#meta/v1.LabelSelector,3 optional,*b,5 path,s,4,r,e
ComponentCondition type,s,1,r,e status,s,2,r,e message,s,3 error,s,4
ComponentStatus,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 conditions,[#ComponentCondition,2,k=type,p=merge,m=type
ComponentStatusList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ComponentStatus,2,r,e
ConfigMap,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 immutable,*b,4 data,{s,2 binaryData,{x,3
ConfigMapEnvSource ,#LocalObjectReference,1,n optional,*b,2
ConfigMapKeySelector,a ,#LocalObjectReference,1,n key,s,2,r,e optional,*b,3
ConfigMapList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ConfigMap,2,r,e
ConfigMapNodeConfigSource namespace,s,1,r,e name,s,2,r,e uid,s,3 resourceVersion,s,4 kubeletConfigKey,s,5,r,e
ConfigMapProjection ,#LocalObjectReference,1,n items,[#KeyToPath,2,atomic optional,*b,4
ConfigMapVolumeSource ,#LocalObjectReference,1,n items,[#KeyToPath,2,atomic defaultMode,*i,3 optional,*b,4
Container name,s,1,r,e image,s,2 command,[s,3,atomic args,[s,4,atomic workingDir,s,5 ports,[#ContainerPort,6,k=containerPort;protocol,p=merge,m=containerPort envFrom,[#EnvFromSource,19,atomic env,[#EnvVar,7,k=name,p=merge,m=name resources,#ResourceRequirements,8 resizePolicy,[#ContainerResizePolicy,23,atomic restartPolicy,*s,24 restartPolicyRules,[#ContainerRestartRule,25,atomic volumeMounts,[#VolumeMount,9,k=mountPath,p=merge,m=mountPath volumeDevices,[#VolumeDevice,21,k=devicePath,p=merge,m=devicePath livenessProbe,*#Probe,10 readinessProbe,*#Probe,11 startupProbe,*#Probe,22 lifecycle,*#Lifecycle,12 terminationMessagePath,s,13 terminationMessagePolicy,@TerminationMessagePolicy,20 imagePullPolicy,@PullPolicy,14 securityContext,*#SecurityContext,15 stdin,b,16 stdinOnce,b,17 tty,b,18
ContainerExtendedResourceRequest containerName,s,1,r,e resourceName,s,2,r,e requestName,s,3,r,e
ContainerImage names,[s,1,e,atomic sizeBytes,l,2
ContainerPort name,s,1 hostPort,i,2 containerPort,i,3,r,e protocol,@Protocol,4,d="TCP" hostIP,s,5
ContainerResizePolicy resourceName,s,1,r,e restartPolicy,s,2,r,e
ContainerRestartRule action,s,1,r exitCodes,*#ContainerRestartRuleOnExitCodes,2
ContainerRestartRuleOnExitCodes operator,s,1,r values,[i,2,set
ContainerState waiting,*#ContainerStateWaiting,1 running,*#ContainerStateRunning,2 terminated,*#ContainerStateTerminated,3
ContainerStateRunning startedAt,T,1
ContainerStateTerminated exitCode,i,1,r,e signal,i,2 reason,s,3 message,s,4 startedAt,T,5 finishedAt,T,6 containerID,s,7
ContainerStateWaiting reason,s,1 message,s,2
ContainerStatus name,s,1,r,e state,#ContainerState,2 lastState,#ContainerState,3 ready,b,4,r,e restartCount,i,5,r,e image,s,6,r,e imageID,s,7,r,e containerID,s,8 started,*b,9 allocatedResources,{Q,10 resources,*#ResourceRequirements,11 volumeMounts,[#VolumeMountStatus,12,k=mountPath,p=merge,m=mountPath user,*#ContainerUser,13 allocatedResourcesStatus,[#ResourceStatus,14,k=name,p=merge,m=name stopSignal,*@Signal,15
ContainerUser linux,*#LinuxContainerUser,1
DaemonEndpoint Port,i,1,r,e
DownwardAPIProjection items,[#DownwardAPIVolumeFile,1,atomic
DownwardAPIVolumeFile path,s,1,r,e fieldRef,*#ObjectFieldSelector,2 resourceFieldRef,*#ResourceFieldSelector,3 mode,*i,4
DownwardAPIVolumeSource items,[#DownwardAPIVolumeFile,1,atomic defaultMode,*i,2
EmptyDirVolumeSource medium,s,1 sizeLimit,*Q,2
EndpointAddress,a ip,s,1,r,e hostname,s,3 nodeName,*s,4 targetRef,*#ObjectReference,2
EndpointPort,a name,s,1 port,i,2,r,e protocol,@Protocol,3 appProtocol,*s,4
EndpointSubset addresses,[#EndpointAddress,1,atomic notReadyAddresses,[#EndpointAddress,2,atomic ports,[#EndpointPort,3,atomic
Endpoints,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 subsets,[#EndpointSubset,2,atomic
EndpointsList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Endpoints,2,r,e
EnvFromSource prefix,s,1 configMapRef,*#ConfigMapEnvSource,2 secretRef,*#SecretEnvSource,3
EnvVar name,s,1,r,e value,s,2 valueFrom,*#EnvVarSource,3
EnvVarSource fieldRef,*#ObjectFieldSelector,1 resourceFieldRef,*#ResourceFieldSelector,2 configMapKeyRef,*#ConfigMapKeySelector,3 secretKeyRef,*#SecretKeySelector,4 fileKeyRef,*#FileKeySelector,5
EphemeralContainer ,#EphemeralContainerCommon,1,n targetContainerName,s,2
EphemeralContainerCommon,h name,s,1,r,e image,s,2 command,[s,3,atomic args,[s,4,atomic workingDir,s,5 ports,[#ContainerPort,6,k=containerPort;protocol,p=merge,m=containerPort envFrom,[#EnvFromSource,19,atomic env,[#EnvVar,7,k=name,p=merge,m=name resources,#ResourceRequirements,8 resizePolicy,[#ContainerResizePolicy,23,atomic restartPolicy,*s,24 restartPolicyRules,[#ContainerRestartRule,25,atomic volumeMounts,[#VolumeMount,9,k=mountPath,p=merge,m=mountPath volumeDevices,[#VolumeDevice,21,k=devicePath,p=merge,m=devicePath livenessProbe,*#Probe,10 readinessProbe,*#Probe,11 startupProbe,*#Probe,22 lifecycle,*#Lifecycle,12 terminationMessagePath,s,13 terminationMessagePolicy,@TerminationMessagePolicy,20 imagePullPolicy,@PullPolicy,14 securityContext,*#SecurityContext,15 stdin,b,16 stdinOnce,b,17 tty,b,18
EphemeralVolumeSource volumeClaimTemplate,*#PersistentVolumeClaimTemplate,1
Event,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1,r,e involvedObject,#ObjectReference,2,r,e reason,s,3 message,s,4 source,#EventSource,5 firstTimestamp,T,6 lastTimestamp,T,7 count,i,8 type,s,9 eventTime,M,10 series,*#EventSeries,11 action,s,12 related,*#ObjectReference,13 reportingComponent,s,14,e reportingInstance,s,15,e
EventList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Event,2,r,e
EventSeries count,i,1 lastObservedTime,M,2
EventSource component,s,1 host,s,2
ExecAction command,[s,1,atomic
FCVolumeSource targetWWNs,[s,1,atomic lun,*i,2 fsType,s,3 readOnly,b,4 wwids,[s,5,atomic
FileKeySelector,a volumeName,s,1,r,e path,s,2,r,e key,s,3,r,e optional,*b,4,d=false
FlexPersistentVolumeSource driver,s,1,r,e fsType,s,2 secretRef,*#SecretReference,3 readOnly,b,4 options,{s,5
FlexVolumeSource driver,s,1,r,e fsType,s,2 secretRef,*#LocalObjectReference,3 readOnly,b,4 options,{s,5
FlockerVolumeSource datasetName,s,1 datasetUUID,s,2
GCEPersistentDiskVolumeSource pdName,s,1,r,e fsType,s,2 partition,i,3 readOnly,b,4
GRPCAction port,i,1,r,e service,*s,2,e,d=""
GitRepoVolumeSource repository,s,1,r,e revision,s,2 directory,s,3
GlusterfsPersistentVolumeSource endpoints,s,1,r,e path,s,2,r,e readOnly,b,3 endpointsNamespace,*s,4
GlusterfsVolumeSource endpoints,s,1,r,e path,s,2,r,e readOnly,b,3
HTTPGetAction path,s,1 port,I,2,r,e host,s,3 scheme,@URIScheme,4 httpHeaders,[#HTTPHeader,5,atomic
HTTPHeader name,s,1,r,e value,s,2,r,e
HostAlias ip,s,1,r,e hostnames,[s,2,atomic
HostIP ip,s,1,r,e
HostPathVolumeSource path,s,1,r,e type,*@HostPathType,2
ISCSIPersistentVolumeSource targetPortal,s,1,r,e iqn,s,2,r,e lun,i,3,r,e iscsiInterface,s,4,d="default" fsType,s,5 readOnly,b,6 portals,[s,7,atomic chapAuthDiscovery,b,8 chapAuthSession,b,11 secretRef,*#SecretReference,10 initiatorName,*s,12
ISCSIVolumeSource targetPortal,s,1,r,e iqn,s,2,r,e lun,i,3,r,e iscsiInterface,s,4,d="default" fsType,s,5 readOnly,b,6 portals,[s,7,atomic chapAuthDiscovery,b,8 chapAuthSession,b,11 secretRef,*#LocalObjectReference,10 initiatorName,*s,12
ImageVolumeSource reference,s,1 pullPolicy,@PullPolicy,2
ImageVolumeStatus imageRef,s,1,r
KeyToPath key,s,1,r,e path,s,2,r,e mode,*i,3
Lifecycle postStart,*#LifecycleHandler,1 preStop,*#LifecycleHandler,2 stopSignal,*@Signal,3
LifecycleHandler exec,*#ExecAction,1 httpGet,*#HTTPGetAction,2 tcpSocket,*#TCPSocketAction,3 sleep,*#SleepAction,4
LimitRange,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#LimitRangeSpec,2
LimitRangeItem type,s,1,r,e max,{Q,2 min,{Q,3 default,{Q,4 defaultRequest,{Q,5 maxLimitRequestRatio,{Q,6
LimitRangeList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#LimitRange,2,r,e
LimitRangeSpec limits,[#LimitRangeItem,1,r,e,atomic
LinuxContainerUser uid,l,1,r,e gid,l,2,r,e supplementalGroups,[l,3,atomic
LoadBalancerIngress ip,s,1 hostname,s,2 ipMode,*s,3 ports,[#PortStatus,4,atomic
LoadBalancerStatus ingress,[#LoadBalancerIngress,1,atomic
LocalObjectReference,a name,s,1,d=""
LocalVolumeSource path,s,1,r,e fsType,*s,2
ModifyVolumeStatus targetVolumeAttributesClassName,s,1 status,@PersistentVolumeClaimModifyVolumeStatus,2,r,e
NFSVolumeSource server,s,1,r,e path,s,2,r,e readOnly,b,3
Namespace,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#NamespaceSpec,2 status,#NamespaceStatus,3
NamespaceCondition type,s,1,r,e status,s,2,r,e lastTransitionTime,T,4 reason,s,5 message,s,6
NamespaceList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Namespace,2,r,e
NamespaceSpec finalizers,[s,1,atomic
NamespaceStatus phase,@NamespacePhase,1 conditions,[#NamespaceCondition,2,k=type,p=merge,m=type
Node,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#NodeSpec,2 status,#NodeStatus,3
NodeAddress type,s,1,r,e address,s,2,r,e
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution,*#NodeSelector,1 preferredDuringSchedulingIgnoredDuringExecution,[#PreferredSchedulingTerm,2,atomic
NodeAllocatableResourceClaimStatus resourceClaimName,s,1,r,e containers,[s,2,set resources,{Q,3,r,e
NodeCondition type,s,1,r,e status,s,2,r,e lastHeartbeatTime,T,3 lastTransitionTime,T,4 reason,s,5 message,s,6
NodeConfigSource configMap,*#ConfigMapNodeConfigSource,2
NodeConfigStatus assigned,*#NodeConfigSource,1 active,*#NodeConfigSource,2 lastKnownGood,*#NodeConfigSource,3 error,s,4
NodeDaemonEndpoints kubeletEndpoint,#DaemonEndpoint,1
NodeFeatures supplementalGroupsPolicy,*b,1
NodeList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Node,2,r,e
NodeRuntimeHandler name,s,1,e features,*#NodeRuntimeHandlerFeatures,2
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts,*b,1 userNamespaces,*b,2
NodeSelector,a nodeSelectorTerms,[#NodeSelectorTerm,1,r,e,atomic
NodeSelectorRequirement key,s,1,r,e operator,@NodeSelectorOperator,2,r,e values,[s,3,atomic
NodeSelectorTerm,a matchExpressions,[#NodeSelectorRequirement,1,atomic matchFields,[#NodeSelectorRequirement,2,atomic
NodeSpec podCIDR,s,1 podCIDRs,[s,7,set,p=merge providerID,s,3 unschedulable,b,4 taints,[#Taint,5,atomic configSource,*#NodeConfigSource,6 externalID,s,2
NodeStatus capacity,{Q,1 allocatable,{Q,2 phase,@NodePhase,3 conditions,[#NodeCondition,4,k=type,p=merge,m=type addresses,[#NodeAddress,5,k=type,p=merge,m=type daemonEndpoints,#NodeDaemonEndpoints,6 nodeInfo,#NodeSystemInfo,7 images,[#ContainerImage,8,atomic volumesInUse,[s,9,atomic volumesAttached,[#AttachedVolume,10,atomic config,*#NodeConfigStatus,11 runtimeHandlers,[#NodeRuntimeHandler,12,atomic features,*#NodeFeatures,13 declaredFeatures,[s,14,atomic
NodeSwapStatus capacity,*l,1
NodeSystemInfo machineID,s,1,r,e systemUUID,s,2,r,e bootID,s,3,r,e kernelVersion,s,4,r,e osImage,s,5,r,e containerRuntimeVersion,s,6,r,e kubeletVersion,s,7,r,e kubeProxyVersion,s,8,r,e operatingSystem,s,9,r,e architecture,s,10,r,e swap,*#NodeSwapStatus,11
ObjectFieldSelector,a apiVersion,s,1 fieldPath,s,2,r,e
ObjectReference,a kind,s,1 namespace,s,2 name,s,3 uid,s,4 apiVersion,s,5 resourceVersion,s,6 fieldPath,s,7
PersistentVolume,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#PersistentVolumeSpec,2 status,#PersistentVolumeStatus,3
PersistentVolumeClaim,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#PersistentVolumeClaimSpec,2 status,#PersistentVolumeClaimStatus,3
PersistentVolumeClaimCondition type,s,1,r,e status,s,2,r,e lastProbeTime,T,3 lastTransitionTime,T,4 reason,s,5 message,s,6
PersistentVolumeClaimList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#PersistentVolumeClaim,2,r,e
PersistentVolumeClaimSpec accessModes,[@PersistentVolumeAccessMode,1,atomic selector,*#meta/v1.LabelSelector,4 resources,#VolumeResourceRequirements,2 volumeName,s,3 storageClassName,*s,5 volumeMode,*@PersistentVolumeMode,6 dataSource,*#TypedLocalObjectReference,7 dataSourceRef,*#TypedObjectReference,8 volumeAttributesClassName,*s,9
PersistentVolumeClaimStatus phase,@PersistentVolumeClaimPhase,1 accessModes,[@PersistentVolumeAccessMode,2,atomic capacity,{Q,3 conditions,[#PersistentVolumeClaimCondition,4,k=type,p=merge,m=type allocatedResources,{Q,5 allocatedResourceStatuses,{@ClaimResourceStatus,7,t=granular currentVolumeAttributesClassName,*s,8 modifyVolumeStatus,*#ModifyVolumeStatus,9
PersistentVolumeClaimTemplate metadata,#meta/v1.ObjectMeta,1 spec,#PersistentVolumeClaimSpec,2,r,e
PersistentVolumeClaimVolumeSource claimName,s,1,r,e readOnly,b,2
PersistentVolumeList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#PersistentVolume,2,r,e
PersistentVolumeSource,h gcePersistentDisk,*#GCEPersistentDiskVolumeSource,1 awsElasticBlockStore,*#AWSElasticBlockStoreVolumeSource,2 hostPath,*#HostPathVolumeSource,3 glusterfs,*#GlusterfsPersistentVolumeSource,4 nfs,*#NFSVolumeSource,5 rbd,*#RBDPersistentVolumeSource,6 iscsi,*#ISCSIPersistentVolumeSource,7 cinder,*#CinderPersistentVolumeSource,8 cephfs,*#CephFSPersistentVolumeSource,9 fc,*#FCVolumeSource,10 flocker,*#FlockerVolumeSource,11 flexVolume,*#FlexPersistentVolumeSource,12 azureFile,*#AzureFilePersistentVolumeSource,13 vsphereVolume,*#VsphereVirtualDiskVolumeSource,14 quobyte,*#QuobyteVolumeSource,15 azureDisk,*#AzureDiskVolumeSource,16 photonPersistentDisk,*#PhotonPersistentDiskVolumeSource,17 portworxVolume,*#PortworxVolumeSource,18 scaleIO,*#ScaleIOPersistentVolumeSource,19 local,*#LocalVolumeSource,20 storageos,*#StorageOSPersistentVolumeSource,21 csi,*#CSIPersistentVolumeSource,22
PersistentVolumeSpec capacity,{Q,1 ,#PersistentVolumeSource,2,n accessModes,[@PersistentVolumeAccessMode,3,atomic claimRef,*#ObjectReference,4,t=granular persistentVolumeReclaimPolicy,@PersistentVolumeReclaimPolicy,5 storageClassName,s,6 mountOptions,[s,7,atomic volumeMode,*@PersistentVolumeMode,8 nodeAffinity,*#VolumeNodeAffinity,9 volumeAttributesClassName,*s,10
PersistentVolumeStatus phase,@PersistentVolumePhase,1 message,s,2 reason,s,3 lastPhaseTransitionTime,*T,4
PhotonPersistentDiskVolumeSource pdID,s,1,r,e fsType,s,2
Pod,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#PodSpec,2 status,#PodStatus,3
PodAffinity requiredDuringSchedulingIgnoredDuringExecution,[#PodAffinityTerm,1,atomic preferredDuringSchedulingIgnoredDuringExecution,[#WeightedPodAffinityTerm,2,atomic
PodAffinityTerm labelSelector,*#meta/v1.LabelSelector,1 namespaces,[s,2,atomic topologyKey,s,3,r,e namespaceSelector,*#meta/v1.LabelSelector,4 matchLabelKeys,[s,5,atomic mismatchLabelKeys,[s,6,atomic
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution,[#PodAffinityTerm,1,atomic preferredDuringSchedulingIgnoredDuringExecution,[#WeightedPodAffinityTerm,2,atomic
PodCertificateProjection signerName,s,1,r keyType,s,2,r maxExpirationSeconds,*i,3 credentialBundlePath,s,4 keyPath,s,5 certificateChainPath,s,6 userAnnotations,{s,7
PodCondition type,s,1,r,e observedGeneration,l,7 status,s,2,r,e lastProbeTime,T,3 lastTransitionTime,T,4 reason,s,5 message,s,6
PodDNSConfig nameservers,[s,1,atomic searches,[s,2,atomic options,[#PodDNSConfigOption,3,atomic
PodDNSConfigOption name,s,1 value,*s,2
PodExtendedResourceClaimStatus requestMappings,[#ContainerExtendedResourceRequest,1,r,e,atomic resourceClaimName,s,2,r,e
PodIP ip,s,1,r,e
PodList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Pod,2,r,e
PodOS name,s,1,r,e
PodReadinessGate conditionType,s,1,r,e
PodResourceClaim name,s,1,r,e resourceClaimName,*s,3 resourceClaimTemplateName,*s,4
PodResourceClaimStatus name,s,1,r,e resourceClaimName,*s,2
PodSchedulingGate name,s,1,r,e
PodSchedulingGroup podGroupName,*s,1
PodSecurityContext seLinuxOptions,*#SELinuxOptions,1 windowsOptions,*#WindowsSecurityContextOptions,8 runAsUser,*l,2 runAsGroup,*l,6 runAsNonRoot,*b,3 supplementalGroups,[l,4,atomic supplementalGroupsPolicy,*@SupplementalGroupsPolicy,12 fsGroup,*l,5 sysctls,[#Sysctl,7,atomic fsGroupChangePolicy,*@PodFSGroupChangePolicy,9 seccompProfile,*#SeccompProfile,10 appArmorProfile,*#AppArmorProfile,11 seLinuxChangePolicy,*s,13
PodSpec volumes,[#Volume,1,k=name,p=merge;retainKeys,m=name initContainers,[#Container,20,k=name,p=merge,m=name containers,[#Container,2,r,e,k=name,p=merge,m=name ephemeralContainers,[#EphemeralContainer,34,k=name,p=merge,m=name restartPolicy,@RestartPolicy,3 terminationGracePeriodSeconds,*l,4 activeDeadlineSeconds,*l,5 dnsPolicy,@DNSPolicy,6 nodeSelector,{s,7,t=atomic serviceAccountName,s,8 serviceAccount,s,9 automountServiceAccountToken,*b,21 nodeName,s,10 hostNetwork,b,11 hostPID,b,12 hostIPC,b,13 shareProcessNamespace,*b,27 securityContext,*#PodSecurityContext,14 imagePullSecrets,[#LocalObjectReference,15,k=name,p=merge,m=name hostname,s,16 subdomain,s,17 affinity,*#Affinity,18 schedulerName,s,19 tolerations,[#Toleration,22,atomic hostAliases,[#HostAlias,23,k=ip,p=merge,m=ip priorityClassName,s,24 priority,*i,25 dnsConfig,*#PodDNSConfig,26 readinessGates,[#PodReadinessGate,28,atomic runtimeClassName,*s,29 enableServiceLinks,*b,30 preemptionPolicy,*@PreemptionPolicy,31 overhead,{Q,32 topologySpreadConstraints,[#TopologySpreadConstraint,33,k=topologyKey;whenUnsatisfiable,p=merge,m=topologyKey setHostnameAsFQDN,*b,35 os,*#PodOS,36 hostUsers,*b,37 schedulingGates,[#PodSchedulingGate,38,k=name,p=merge,m=name resourceClaims,[#PodResourceClaim,39,k=name,p=merge;retainKeys,m=name resources,*#ResourceRequirements,40 hostnameOverride,*s,41 schedulingGroup,*#PodSchedulingGroup,43
PodStatus observedGeneration,l,17 phase,@PodPhase,1 conditions,[#PodCondition,2,k=type,p=merge,m=type message,s,3 reason,s,4 nominatedNodeName,s,11 hostIP,s,5 hostIPs,[#HostIP,16,atomic,p=merge,m=ip podIP,s,6 podIPs,[#PodIP,12,k=ip,p=merge,m=ip startTime,*T,7 initContainerStatuses,[#ContainerStatus,10,atomic containerStatuses,[#ContainerStatus,8,atomic qosClass,@PodQOSClass,9 ephemeralContainerStatuses,[#ContainerStatus,13,atomic resize,s,14 resourceClaimStatuses,[#PodResourceClaimStatus,15,k=name,p=merge;retainKeys,m=name extendedResourceClaimStatus,*#PodExtendedResourceClaimStatus,18 allocatedResources,{Q,19 resources,*#ResourceRequirements,20 nodeAllocatableResourceClaimStatuses,[#NodeAllocatableResourceClaimStatus,21,atomic
PodTemplate,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 template,#PodTemplateSpec,2
PodTemplateList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#PodTemplate,2,r,e
PodTemplateSpec metadata,#meta/v1.ObjectMeta,1 spec,#PodSpec,2
PortStatus port,i,1,r,e protocol,@Protocol,2,r,e error,*s,3
PortworxVolumeSource volumeID,s,1,r,e fsType,s,2 readOnly,b,3
PreferredSchedulingTerm weight,i,1,r,e preference,#NodeSelectorTerm,2,r,e
Probe ,#ProbeHandler,1,n initialDelaySeconds,i,2 timeoutSeconds,i,3 periodSeconds,i,4 successThreshold,i,5 failureThreshold,i,6 terminationGracePeriodSeconds,*l,7
ProbeHandler,h exec,*#ExecAction,1 httpGet,*#HTTPGetAction,2 tcpSocket,*#TCPSocketAction,3 grpc,*#GRPCAction,4
ProjectedVolumeSource sources,[#VolumeProjection,1,e,atomic defaultMode,*i,2
QuobyteVolumeSource registry,s,1,r,e volume,s,2,r,e readOnly,b,3 user,s,4 group,s,5 tenant,s,6
RBDPersistentVolumeSource monitors,[s,1,r,e,atomic image,s,2,r,e fsType,s,3 pool,s,4,d="rbd" user,s,5,d="admin" keyring,s,6,d="/etc/ceph/keyring" secretRef,*#SecretReference,7 readOnly,b,8
RBDVolumeSource monitors,[s,1,r,e,atomic image,s,2,r,e fsType,s,3 pool,s,4,d="rbd" user,s,5,d="admin" keyring,s,6,d="/etc/ceph/keyring" secretRef,*#LocalObjectReference,7 readOnly,b,8
ReplicationController,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ReplicationControllerSpec,2 status,#ReplicationControllerStatus,3
ReplicationControllerCondition type,s,1,r,e status,s,2,r,e lastTransitionTime,T,3 reason,s,4 message,s,5
ReplicationControllerList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ReplicationController,2,r,e
ReplicationControllerSpec replicas,*i,1,d=1 minReadySeconds,i,4,d=0 selector,{s,2,t=atomic template,*#PodTemplateSpec,3
ReplicationControllerStatus replicas,i,1,r,e fullyLabeledReplicas,i,2 readyReplicas,i,4 availableReplicas,i,5 observedGeneration,l,3 conditions,[#ReplicationControllerCondition,6,k=type,p=merge,m=type
ResourceClaim name,s,1,r,e request,s,2
ResourceFieldSelector,a containerName,s,1 resource,s,2,r,e divisor,Q,3
ResourceHealth resourceID,s,1,r,e health,s,2 message,*s,6
ResourceQuota,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceQuotaSpec,2 status,#ResourceQuotaStatus,3
ResourceQuotaList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceQuota,2,r,e
ResourceQuotaSpec hard,{Q,1 scopes,[@ResourceQuotaScope,2,atomic scopeSelector,*#ScopeSelector,3
ResourceQuotaStatus hard,{Q,1 used,{Q,2
ResourceRequirements limits,{Q,1 requests,{Q,2 claims,[#ResourceClaim,3,k=name
ResourceStatus name,s,1,r,e resources,[#ResourceHealth,2,k=resourceID
SELinuxOptions user,s,1 role,s,2 type,s,3 level,s,4
ScaleIOPersistentVolumeSource gateway,s,1,r,e system,s,2,r,e secretRef,*#SecretReference,3,r,e sslEnabled,b,4 protectionDomain,s,5 storagePool,s,6 storageMode,s,7,d="ThinProvisioned" volumeName,s,8 fsType,s,9,d="xfs" readOnly,b,10
ScaleIOVolumeSource gateway,s,1,r,e system,s,2,r,e secretRef,*#LocalObjectReference,3,r,e sslEnabled,b,4 protectionDomain,s,5 storagePool,s,6 storageMode,s,7,d="ThinProvisioned" volumeName,s,8 fsType,s,9,d="xfs" readOnly,b,10
ScopeSelector,a matchExpressions,[#ScopedResourceSelectorRequirement,1,atomic
ScopedResourceSelectorRequirement scopeName,@ResourceQuotaScope,1,r,e operator,@ScopeSelectorOperator,2,r,e values,[s,3,atomic
SeccompProfile type,@SeccompProfileType,1,r,e localhostProfile,*s,2
Secret,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 immutable,*b,5 data,{x,2 stringData,{s,4 type,s,3
SecretEnvSource ,#LocalObjectReference,1,n optional,*b,2
SecretKeySelector,a ,#LocalObjectReference,1,n key,s,2,r,e optional,*b,3
SecretList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Secret,2,r,e
SecretProjection ,#LocalObjectReference,1,n items,[#KeyToPath,2,atomic optional,*b,4
SecretReference,a name,s,1 namespace,s,2
SecretVolumeSource secretName,s,1 items,[#KeyToPath,2,atomic defaultMode,*i,3 optional,*b,4
SecurityContext capabilities,*#Capabilities,1 privileged,*b,2 seLinuxOptions,*#SELinuxOptions,3 windowsOptions,*#WindowsSecurityContextOptions,10 runAsUser,*l,4 runAsGroup,*l,8 runAsNonRoot,*b,5 readOnlyRootFilesystem,*b,6 allowPrivilegeEscalation,*b,7 procMount,*@ProcMountType,9 seccompProfile,*#SeccompProfile,11 appArmorProfile,*#AppArmorProfile,12
Service,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ServiceSpec,2 status,#ServiceStatus,3
ServiceAccount,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 secrets,[#ObjectReference,2,k=name,p=merge,m=name imagePullSecrets,[#LocalObjectReference,3,atomic automountServiceAccountToken,*b,4
ServiceAccountList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ServiceAccount,2,r,e
ServiceAccountTokenProjection audience,s,1 expirationSeconds,*l,2 path,s,3,r,e
ServiceList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Service,2,r,e
ServicePort name,s,1 protocol,@Protocol,2,d="TCP" appProtocol,*s,6 port,i,3,r,e targetPort,I,4 nodePort,i,5
ServiceSpec ports,[#ServicePort,1,k=port;protocol,p=merge,m=port selector,{s,2,t=atomic clusterIP,s,3 clusterIPs,[s,18,atomic type,@ServiceType,4 externalIPs,[s,5,atomic sessionAffinity,@ServiceAffinity,7 loadBalancerIP,s,8 loadBalancerSourceRanges,[s,9,atomic externalName,s,10 externalTrafficPolicy,@ServiceExternalTrafficPolicy,11 healthCheckNodePort,i,12 publishNotReadyAddresses,b,13 sessionAffinityConfig,*#SessionAffinityConfig,14 ipFamilies,[@IPFamily,19,atomic ipFamilyPolicy,*@IPFamilyPolicy,17 allocateLoadBalancerNodePorts,*b,20 loadBalancerClass,*s,21 internalTrafficPolicy,*@ServiceInternalTrafficPolicy,22 trafficDistribution,*s,23
ServiceStatus loadBalancer,#LoadBalancerStatus,1 conditions,[#meta/v1.Condition,2,k=type,p=merge,m=type
SessionAffinityConfig clientIP,*#ClientIPConfig,1
SleepAction seconds,l,1,r,e
StorageOSPersistentVolumeSource volumeName,s,1 volumeNamespace,s,2 fsType,s,3 readOnly,b,4 secretRef,*#ObjectReference,5
StorageOSVolumeSource volumeName,s,1 volumeNamespace,s,2 fsType,s,3 readOnly,b,4 secretRef,*#LocalObjectReference,5
Sysctl name,s,1,r,e value,s,2,r,e
TCPSocketAction port,I,1,r,e host,s,2
Taint key,s,1,r,e value,s,2 effect,@TaintEffect,3,r,e timeAdded,*T,4
Toleration key,s,1 operator,@TolerationOperator,2 value,s,3 effect,@TaintEffect,4 tolerationSeconds,*l,5
TopologySelectorLabelRequirement key,s,1,r,e values,[s,2,r,e,atomic
TopologySelectorTerm,a matchLabelExpressions,[#TopologySelectorLabelRequirement,1,atomic
TopologySpreadConstraint maxSkew,i,1,r,e topologyKey,s,2,r,e whenUnsatisfiable,@UnsatisfiableConstraintAction,3,r,e labelSelector,*#meta/v1.LabelSelector,4 minDomains,*i,5 nodeAffinityPolicy,*@NodeInclusionPolicy,6 nodeTaintsPolicy,*@NodeInclusionPolicy,7 matchLabelKeys,[s,8,atomic
TypedLocalObjectReference,a apiGroup,*s,1,e kind,s,2,r,e name,s,3,r,e
TypedObjectReference apiGroup,*s,1,e kind,s,2,r,e name,s,3,r,e namespace,*s,4
Volume name,s,1,r,e ,#VolumeSource,2,n
VolumeDevice name,s,1,r,e devicePath,s,2,r,e
VolumeMount name,s,1,r,e readOnly,b,2 recursiveReadOnly,*s,7 mountPath,s,3,r,e subPath,s,4 mountPropagation,*@MountPropagationMode,5 subPathExpr,s,6
VolumeMountStatus name,s,1,r,e mountPath,s,2,r,e readOnly,b,3 recursiveReadOnly,*s,4 volumeStatus,*#VolumeStatus,5
VolumeNodeAffinity required,*#NodeSelector,1
VolumeProjection secret,*#SecretProjection,1 downwardAPI,*#DownwardAPIProjection,2 configMap,*#ConfigMapProjection,3 serviceAccountToken,*#ServiceAccountTokenProjection,4 clusterTrustBundle,*#ClusterTrustBundleProjection,5 podCertificate,*#PodCertificateProjection,6
VolumeResourceRequirements limits,{Q,1 requests,{Q,2
VolumeSource,h hostPath,*#HostPathVolumeSource,1 emptyDir,*#EmptyDirVolumeSource,2 gcePersistentDisk,*#GCEPersistentDiskVolumeSource,3 awsElasticBlockStore,*#AWSElasticBlockStoreVolumeSource,4 gitRepo,*#GitRepoVolumeSource,5 secret,*#SecretVolumeSource,6 nfs,*#NFSVolumeSource,7 iscsi,*#ISCSIVolumeSource,8 glusterfs,*#GlusterfsVolumeSource,9 persistentVolumeClaim,*#PersistentVolumeClaimVolumeSource,10 rbd,*#RBDVolumeSource,11 flexVolume,*#FlexVolumeSource,12 cinder,*#CinderVolumeSource,13 cephfs,*#CephFSVolumeSource,14 flocker,*#FlockerVolumeSource,15 downwardAPI,*#DownwardAPIVolumeSource,16 fc,*#FCVolumeSource,17 azureFile,*#AzureFileVolumeSource,18 configMap,*#ConfigMapVolumeSource,19 vsphereVolume,*#VsphereVirtualDiskVolumeSource,20 quobyte,*#QuobyteVolumeSource,21 azureDisk,*#AzureDiskVolumeSource,22 photonPersistentDisk,*#PhotonPersistentDiskVolumeSource,23 projected,*#ProjectedVolumeSource,26 portworxVolume,*#PortworxVolumeSource,24 scaleIO,*#ScaleIOVolumeSource,25 storageos,*#StorageOSVolumeSource,27 csi,*#CSIVolumeSource,28 ephemeral,*#EphemeralVolumeSource,29 image,*#ImageVolumeSource,30
VolumeStatus image,*#ImageVolumeStatus,1
VsphereVirtualDiskVolumeSource volumePath,s,1,r,e fsType,s,2 storagePolicyName,s,3 storagePolicyID,s,4
WeightedPodAffinityTerm weight,i,1,r,e podAffinityTerm,#PodAffinityTerm,2,r,e
WindowsSecurityContextOptions gmsaCredentialSpecName,*s,1 gmsaCredentialSpec,*s,2 runAsUserName,*s,3 hostProcess,*b,4
=discovery/v1 io.k8s.api.discovery.v1 discovery.k8s.io
+AddressType FQDN;IPv4;IPv6
Endpoint addresses,[s,1,r,e,set conditions,#EndpointConditions,2 hostname,*s,3 targetRef,*#core/v1.ObjectReference,4 deprecatedTopology,{s,5 nodeName,*s,6 zone,*s,7 hints,*#EndpointHints,8
EndpointConditions ready,*b,1 serving,*b,2 terminating,*b,3
EndpointHints forZones,[#ForZone,1,atomic forNodes,[#ForNode,2,atomic
EndpointPort,a name,*s,1 protocol,*@core/v1.Protocol,2 port,*i,3 appProtocol,*s,4
EndpointSlice,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 addressType,@AddressType,4,r,e endpoints,[#Endpoint,2,e,atomic ports,[#EndpointPort,3,e,atomic
EndpointSliceList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#EndpointSlice,2,r,e
ForNode name,s,1,r,e
ForZone name,s,1,r,e
=events/v1 io.k8s.api.events.v1 events.k8s.io
Event,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1,e eventTime,M,2,r,e series,*#EventSeries,3 reportingController,s,4 reportingInstance,s,5 action,s,6 reason,s,7 regarding,#core/v1.ObjectReference,8 related,*#core/v1.ObjectReference,9 note,s,10 type,s,11 deprecatedSource,#core/v1.EventSource,12 deprecatedFirstTimestamp,T,13 deprecatedLastTimestamp,T,14 deprecatedCount,i,15
EventList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Event,2,r,e
EventSeries count,i,1,r,e lastObservedTime,M,2,r,e
=flowcontrol/v1 io.k8s.api.flowcontrol.v1 flowcontrol.apiserver.k8s.io
ExemptPriorityLevelConfiguration nominalConcurrencyShares,*i,1 lendablePercent,*i,2
FlowDistinguisherMethod type,s,1,r,e
FlowSchema,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#FlowSchemaSpec,2 status,#FlowSchemaStatus,3
FlowSchemaCondition type,s,1 status,s,2 lastTransitionTime,T,3 reason,s,4 message,s,5
FlowSchemaList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#FlowSchema,2,r,e
FlowSchemaSpec priorityLevelConfiguration,#PriorityLevelConfigurationReference,1,r,e matchingPrecedence,i,2,e distinguisherMethod,*#FlowDistinguisherMethod,3 rules,[#PolicyRulesWithSubjects,4,atomic
FlowSchemaStatus conditions,[#FlowSchemaCondition,1,k=type,p=merge,m=type
GroupSubject name,s,1,r,e
LimitResponse type,s,1,r,e queuing,*#QueuingConfiguration,2
LimitedPriorityLevelConfiguration nominalConcurrencyShares,*i,1,e limitResponse,#LimitResponse,2 lendablePercent,*i,3 borrowingLimitPercent,*i,4
NonResourcePolicyRule verbs,[s,1,r,e,set nonResourceURLs,[s,6,r,e,set
PolicyRulesWithSubjects subjects,[#Subject,1,r,e,atomic resourceRules,[#ResourcePolicyRule,2,atomic nonResourceRules,[#NonResourcePolicyRule,3,atomic
PriorityLevelConfiguration,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#PriorityLevelConfigurationSpec,2 status,#PriorityLevelConfigurationStatus,3
PriorityLevelConfigurationCondition type,s,1 status,s,2 lastTransitionTime,T,3 reason,s,4 message,s,5
PriorityLevelConfigurationList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#PriorityLevelConfiguration,2,r,e
PriorityLevelConfigurationReference name,s,1,r,e
PriorityLevelConfigurationSpec type,s,1,r,e limited,*#LimitedPriorityLevelConfiguration,2 exempt,*#ExemptPriorityLevelConfiguration,3
PriorityLevelConfigurationStatus conditions,[#PriorityLevelConfigurationCondition,1,k=type,p=merge,m=type
QueuingConfiguration queues,i,1,e handSize,i,2,e queueLengthLimit,i,3,e
ResourcePolicyRule verbs,[s,1,r,e,set apiGroups,[s,2,r,e,set resources,[s,3,r,e,set clusterScope,b,4 namespaces,[s,5,e,set
ServiceAccountSubject namespace,s,1,r,e name,s,2,r,e
Subject kind,s,1,r,e user,*#UserSubject,2 group,*#GroupSubject,3 serviceAccount,*#ServiceAccountSubject,4
UserSubject name,s,1,r,e
=meta/v1 io.k8s.apimachinery.pkg.apis.meta.v1
APIGroup kind,s, apiVersion,s, name,s,1,r,e versions,[#GroupVersionForDiscovery,2,r,e,atomic preferredVersion,#GroupVersionForDiscovery,3 serverAddressByClientCIDRs,[#ServerAddressByClientCIDR,4,atomic
APIGroupList kind,s, apiVersion,s, groups,[#APIGroup,1,r,e,atomic
APIResource name,s,1,r,e singularName,s,6,r,e namespaced,b,2,r,e group,s,8 version,s,9 kind,s,3,r,e verbs,&s,4,r,e shortNames,[s,5,atomic categories,[s,7,atomic storageVersionHash,s,10
APIResourceList kind,s, apiVersion,s, groupVersion,s,1,r,e resources,[#APIResource,2,r,e,atomic
APIVersions kind,s, apiVersion,s, versions,[s,1,r,e,atomic serverAddressByClientCIDRs,[#ServerAddressByClientCIDR,2,r,e,atomic
Condition type,s,1,r,e status,s,2,r,e observedGeneration,l,3 lastTransitionTime,T,4,r,e reason,s,5,r,e message,s,6,r,e
DeleteOptions kind,s, apiVersion,s, gracePeriodSeconds,*l,1 preconditions,*#Preconditions,2 orphanDependents,*b,3 propagationPolicy,*s,4 dryRun,[s,5,atomic ignoreStoreReadErrorWithClusterBreakingPotential,*b,6
FieldSelectorRequirement key,s,1,r,e operator,s,2,r,e values,[s,3,atomic
GroupResource group,s,1,r,e resource,s,2,r,e
GroupVersionForDiscovery groupVersion,s,1,r,e version,s,2,r,e
GroupVersionKind,h group,s,1,r,e version,s,2,r,e kind,s,3,r,e
GroupVersionResource,h group,s,1,r,e version,s,2,r,e resource,s,3,r,e
LabelSelector,a matchLabels,{s,1 matchExpressions,[#LabelSelectorRequirement,2,atomic
LabelSelectorRequirement key,s,1,r,e operator,s,2,r,e values,[s,3,atomic
ListMeta selfLink,s,1 resourceVersion,s,2 continue,s,3 remainingItemCount,*l,4 shardInfo,*#ShardInfo,5
ManagedFieldsEntry manager,s,1 operation,s,2 apiVersion,s,3 time,*T,4 fieldsType,s,6 fieldsV1,*F,7 subresource,s,8
ObjectMeta name,s,1 generateName,s,2 namespace,s,3 selfLink,s,4 uid,s,5 resourceVersion,s,6 generation,l,7 creationTimestamp,T,8,z deletionTimestamp,*T,9 deletionGracePeriodSeconds,*l,10 labels,{s,11 annotations,{s,12 ownerReferences,[#OwnerReference,13,k=uid,p=merge,m=uid finalizers,[s,14,set,p=merge managedFields,[#ManagedFieldsEntry,17,atomic
OwnerReference,a apiVersion,s,5,r,e kind,s,1,r,e name,s,3,r,e uid,s,4,r,e controller,*b,6 blockOwnerDeletion,*b,7
PartialObjectMetadata,h kind,s, apiVersion,s, metadata,#ObjectMeta,1
PartialObjectMetadataList,h kind,s, apiVersion,s, metadata,#ListMeta,1 items,[#PartialObjectMetadata,2,r,e
Preconditions uid,*s,1 resourceVersion,*s,2
ServerAddressByClientCIDR clientCIDR,s,1,r,e serverAddress,s,2,r,e
ShardInfo selector,s,1,r,e
Status kind,s, apiVersion,s, metadata,#ListMeta,1 status,s,2 message,s,3 reason,s,4 details,*#StatusDetails,5 code,i,6
StatusCause reason,s,1 message,s,2 field,s,3
StatusDetails name,s,1 group,s,2 kind,s,3 uid,s,6 causes,[#StatusCause,4,atomic retryAfterSeconds,i,5
WatchEvent type,s,1,r,e object,R,2,r,e
=networking/v1 io.k8s.api.networking.v1 networking.k8s.io
+PathType Exact;ImplementationSpecific;Prefix
+PolicyType Egress;Ingress
HTTPIngressPath path,s,1 pathType,*@PathType,3,r,e backend,#IngressBackend,2,r,e
HTTPIngressRuleValue paths,[#HTTPIngressPath,1,r,e,atomic
IPAddress,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#IPAddressSpec,2,r
IPAddressList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#IPAddress,2,r,e
IPAddressSpec parentRef,*#ParentReference,1,r
IPBlock cidr,s,1,r,e except,[s,2,atomic
Ingress,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#IngressSpec,2 status,#IngressStatus,3
IngressBackend service,*#IngressServiceBackend,4 resource,*#core/v1.TypedLocalObjectReference,3
IngressClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#IngressClassSpec,2
IngressClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#IngressClass,2,r,e
IngressClassParametersReference apiGroup,*s,1 kind,s,2,r,e name,s,3,r,e scope,*s,4,e namespace,*s,5
IngressClassSpec controller,s,1 parameters,*#IngressClassParametersReference,2
IngressList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Ingress,2,r,e
IngressLoadBalancerIngress ip,s,1 hostname,s,2 ports,[#IngressPortStatus,4,atomic
IngressLoadBalancerStatus ingress,[#IngressLoadBalancerIngress,1,atomic
IngressPortStatus port,i,1,r,e protocol,@core/v1.Protocol,2,r,e error,*s,3
IngressRule host,s,1 ,#IngressRuleValue,2,n
IngressRuleValue,h http,*#HTTPIngressRuleValue,1
IngressServiceBackend name,s,1,r,e port,#ServiceBackendPort,2
IngressSpec ingressClassName,*s,4 defaultBackend,*#IngressBackend,1 tls,[#IngressTLS,2,atomic rules,[#IngressRule,3,atomic
IngressStatus loadBalancer,#IngressLoadBalancerStatus,1
IngressTLS hosts,[s,1,atomic secretName,s,2
NetworkPolicy,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#NetworkPolicySpec,2
NetworkPolicyEgressRule ports,[#NetworkPolicyPort,1,atomic to,[#NetworkPolicyPeer,2,atomic
NetworkPolicyIngressRule ports,[#NetworkPolicyPort,1,atomic from,[#NetworkPolicyPeer,2,atomic
NetworkPolicyList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#NetworkPolicy,2,r,e
NetworkPolicyPeer podSelector,*#meta/v1.LabelSelector,1 namespaceSelector,*#meta/v1.LabelSelector,2 ipBlock,*#IPBlock,3
NetworkPolicyPort protocol,*@core/v1.Protocol,1 port,*I,2 endPort,*i,3
NetworkPolicySpec podSelector,#meta/v1.LabelSelector,1,e ingress,[#NetworkPolicyIngressRule,2,atomic egress,[#NetworkPolicyEgressRule,3,atomic policyTypes,[@PolicyType,4,atomic
ParentReference group,s,1 resource,s,2,r namespace,s,3 name,s,4,r
ServiceBackendPort,a name,s,1 number,i,2
ServiceCIDR,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ServiceCIDRSpec,2 status,#ServiceCIDRStatus,3
ServiceCIDRList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ServiceCIDR,2,r,e
ServiceCIDRSpec cidrs,[s,1,atomic
ServiceCIDRStatus conditions,[#meta/v1.Condition,1,k=type,p=merge,m=type
=networking/v1beta1 io.k8s.api.networking.v1beta1 networking.k8s.io
IPAddress,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#IPAddressSpec,2,r
IPAddressList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#IPAddress,2,r,e
IPAddressSpec parentRef,*#ParentReference,1,r
ParentReference group,s,1 resource,s,2,r namespace,s,3 name,s,4,r
ServiceCIDR,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ServiceCIDRSpec,2 status,#ServiceCIDRStatus,3
ServiceCIDRList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ServiceCIDR,2,r,e
ServiceCIDRSpec cidrs,[s,1,atomic
ServiceCIDRStatus conditions,[#meta/v1.Condition,1,k=type,p=merge,m=type
=node/v1 io.k8s.api.node.v1 node.k8s.io
Overhead podFixed,{Q,1
RuntimeClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 handler,s,2,r,e overhead,*#Overhead,3 scheduling,*#Scheduling,4
RuntimeClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#RuntimeClass,2,r,e
Scheduling nodeSelector,{s,1,t=atomic tolerations,[#core/v1.Toleration,2,atomic
=policy/v1 io.k8s.api.policy.v1 policy
+UnhealthyPodEvictionPolicyType AlwaysAllow;IfHealthyBudget
Eviction,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 deleteOptions,*#meta/v1.DeleteOptions,2
PodDisruptionBudget,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#PodDisruptionBudgetSpec,2 status,#PodDisruptionBudgetStatus,3
PodDisruptionBudgetList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#PodDisruptionBudget,2,r,e
PodDisruptionBudgetSpec minAvailable,*I,1 selector,*#meta/v1.LabelSelector,2,p=replace maxUnavailable,*I,3 unhealthyPodEvictionPolicy,*@UnhealthyPodEvictionPolicyType,4
PodDisruptionBudgetStatus observedGeneration,l,1 disruptedPods,{T,2 disruptionsAllowed,i,3,e currentHealthy,i,4,e desiredHealthy,i,5,e expectedPods,i,6,e conditions,[#meta/v1.Condition,7,k=type,p=merge,m=type
=rbac/v1 io.k8s.api.rbac.v1 rbac.authorization.k8s.io
AggregationRule clusterRoleSelectors,[#meta/v1.LabelSelector,1,atomic
ClusterRole,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 rules,[#PolicyRule,2,e,atomic aggregationRule,*#AggregationRule,3
ClusterRoleBinding,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 subjects,[#Subject,2,atomic roleRef,#RoleRef,3,r,e
ClusterRoleBindingList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ClusterRoleBinding,2,r,e
ClusterRoleList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ClusterRole,2,r,e
PolicyRule verbs,[s,1,r,e,atomic apiGroups,[s,2,atomic resources,[s,3,atomic resourceNames,[s,4,atomic nonResourceURLs,[s,5,atomic
Role,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 rules,[#PolicyRule,2,e,atomic
RoleBinding,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 subjects,[#Subject,2,atomic roleRef,#RoleRef,3,r,e
RoleBindingList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#RoleBinding,2,r,e
RoleList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Role,2,r,e
RoleRef,a apiGroup,s,1,e kind,s,2,r,e name,s,3,r,e
Subject,a kind,s,1,r,e apiGroup,s,2 name,s,3,r,e namespace,s,4
=resource/v1 io.k8s.api.resource.v1 resource.k8s.io
+AllocationConfigSource FromClaim;FromClass
+DeviceAllocationMode All;ExactCount
+DeviceTaintEffect NoExecute;NoSchedule;None
+DeviceTolerationOperator Equal;Exists
AllocatedDeviceStatus driver,s,1,r,e pool,s,2,r,e device,s,3,r,e shareID,*s,7 conditions,[#meta/v1.Condition,4,e,k=type data,*R,5 networkData,*#NetworkDeviceData,6
AllocationResult devices,#DeviceAllocationResult,1 nodeSelector,*#core/v1.NodeSelector,3 allocationTimestamp,*T,5
CELDeviceSelector expression,s,1,r,e
CapacityRequestPolicy default,*Q,1,e validValues,[Q,3,atomic validRange,*#CapacityRequestPolicyRange,4
CapacityRequestPolicyRange min,*Q,1,r max,*Q,2 step,*Q,3
CapacityRequirements requests,{Q,1
Counter value,Q,1,r,e
CounterSet name,s,1,r,e counters,{#Counter,2,r
Device name,s,1,r,e attributes,{#DeviceAttribute,2 capacity,{#DeviceCapacity,3 consumesCounters,[#DeviceCounterConsumption,4,atomic nodeName,*s,5 nodeSelector,*#core/v1.NodeSelector,6 allNodes,*b,7 taints,[#DeviceTaint,8,atomic bindsToNode,*b,9 bindingConditions,[s,10,atomic bindingFailureConditions,[s,11,atomic allowMultipleAllocations,*b,12 nodeAllocatableResourceMappings,{#NodeAllocatableResourceMapping,13
DeviceAllocationConfiguration source,@AllocationConfigSource,1,r,e requests,[s,2,atomic ,#DeviceConfiguration,3,n
DeviceAllocationResult results,[#DeviceRequestAllocationResult,1,atomic config,[#DeviceAllocationConfiguration,2,atomic
DeviceAttribute int,*l,2 bool,*b,3 string,*s,4 version,*s,5 ints,[l,6,atomic bools,[b,7,atomic strings,[s,8,atomic versions,[s,9,atomic
DeviceCapacity value,Q,1,r,e requestPolicy,*#CapacityRequestPolicy,2
DeviceClaim requests,[#DeviceRequest,1,e,atomic constraints,[#DeviceConstraint,2,atomic config,[#DeviceClaimConfiguration,3,atomic
DeviceClaimConfiguration requests,[s,1,atomic ,#DeviceConfiguration,2,n
DeviceClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#DeviceClassSpec,2,r,e
DeviceClassConfiguration ,#DeviceConfiguration,1,n
DeviceClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#DeviceClass,2,r,e
DeviceClassSpec selectors,[#DeviceSelector,1,atomic config,[#DeviceClassConfiguration,2,atomic extendedResourceName,*s,4
DeviceConfiguration,h opaque,*#OpaqueDeviceConfiguration,1
DeviceConstraint requests,[s,1,atomic matchAttribute,*s,2 distinctAttribute,*s,3
DeviceCounterConsumption counterSet,s,1,r,e counters,{#Counter,2,r
DeviceRequest name,s,1,r,e exactly,*#ExactDeviceRequest,2 firstAvailable,[#DeviceSubRequest,3,atomic
DeviceRequestAllocationResult request,s,1,r,e driver,s,2,r,e pool,s,3,r,e device,s,4,r,e adminAccess,*b,5 tolerations,[#DeviceToleration,6,atomic bindingConditions,[s,7,atomic bindingFailureConditions,[s,8,atomic shareID,*s,9 consumedCapacity,{Q,10
DeviceSelector cel,*#CELDeviceSelector,1
DeviceSubRequest name,s,1,r,e deviceClassName,s,2,r,e selectors,[#DeviceSelector,3,atomic allocationMode,@DeviceAllocationMode,4 count,l,5 tolerations,[#DeviceToleration,6,atomic capacity,*#CapacityRequirements,7
DeviceTaint key,s,1,r,e value,s,2 effect,@DeviceTaintEffect,3,r,e timeAdded,*T,4
DeviceToleration key,s,1 operator,@DeviceTolerationOperator,2,d="Equal" value,s,3 effect,@DeviceTaintEffect,4 tolerationSeconds,*l,5
ExactDeviceRequest deviceClassName,s,1,r,e selectors,[#DeviceSelector,2,atomic allocationMode,@DeviceAllocationMode,3 count,l,4 adminAccess,*b,5 tolerations,[#DeviceToleration,6,atomic capacity,*#CapacityRequirements,7
NetworkDeviceData interfaceName,s,1 ips,[s,2,atomic hardwareAddress,s,3
NodeAllocatableResourceMapping capacityKey,*s,1 allocationMultiplier,*Q,2
OpaqueDeviceConfiguration driver,s,1,r,e parameters,R,2,r,e
ResourceClaim,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimSpec,2,r,e status,#ResourceClaimStatus,3
ResourceClaimConsumerReference apiGroup,s,1 resource,s,3,r,e name,s,4,r,e uid,s,5,r,e
ResourceClaimList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceClaim,2,r,e
ResourceClaimSpec devices,#DeviceClaim,1,e
ResourceClaimStatus allocation,*#AllocationResult,1 reservedFor,[#ResourceClaimConsumerReference,2,k=uid,p=merge,m=uid devices,[#AllocatedDeviceStatus,4,k=driver;device;pool;shareID
ResourceClaimTemplate,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimTemplateSpec,2,r,e
ResourceClaimTemplateList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceClaimTemplate,2,r,e
ResourceClaimTemplateSpec metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimSpec,2,r,e
ResourcePool name,s,1,r,e generation,l,2,r,e resourceSliceCount,l,3,r,e
ResourceSlice,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceSliceSpec,2,r,e
ResourceSliceList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceSlice,2,r,e
ResourceSliceSpec driver,s,1,r,e pool,#ResourcePool,2,r,e nodeName,*s,3 nodeSelector,*#core/v1.NodeSelector,4 allNodes,*b,5 devices,[#Device,6,atomic perDeviceNodeSelection,*b,7 sharedCounters,[#CounterSet,8,atomic
=resource/v1alpha3 io.k8s.api.resource.v1alpha3 resource.k8s.io
+DeviceTaintEffect NoExecute;NoSchedule;None
DeviceTaint key,s,1,r,e value,s,2 effect,@DeviceTaintEffect,3,r,e timeAdded,*T,4
DeviceTaintRule,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#DeviceTaintRuleSpec,2,r,e status,#DeviceTaintRuleStatus,3
DeviceTaintRuleList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#DeviceTaintRule,2,r,e
DeviceTaintRuleSpec deviceSelector,*#DeviceTaintSelector,1 taint,#DeviceTaint,2,r
DeviceTaintRuleStatus conditions,[#meta/v1.Condition,1,k=type,p=merge,m=type
DeviceTaintSelector driver,*s,2 pool,*s,3 device,*s,4
PoolStatus driver,s,1,r poolName,s,2,r generation,l,9,r,e resourceSliceCount,*i,8 totalDevices,*i,4 allocatedDevices,*i,5 availableDevices,*i,6 unavailableDevices,*i,7 nodeName,*s,3 validationError,*s,10
ResourcePoolStatusRequest,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1,r spec,#ResourcePoolStatusRequestSpec,2,r,e status,*#ResourcePoolStatusRequestStatus,3
ResourcePoolStatusRequestList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourcePoolStatusRequest,2,r,e
ResourcePoolStatusRequestSpec driver,s,1,r,e poolName,*s,2 limit,*i,3,d=100
ResourcePoolStatusRequestStatus poolCount,*i,6,r pools,[#PoolStatus,2,atomic conditions,[#meta/v1.Condition,3,k=type,p=merge,m=type
=resource/v1beta1 io.k8s.api.resource.v1beta1 resource.k8s.io
+AllocationConfigSource FromClaim;FromClass
+DeviceAllocationMode All;ExactCount
+DeviceTaintEffect NoExecute;NoSchedule;None
+DeviceTolerationOperator Equal;Exists
AllocatedDeviceStatus driver,s,1,r,e pool,s,2,r,e device,s,3,r,e shareID,*s,7 conditions,[#meta/v1.Condition,4,e,k=type data,*R,5 networkData,*#NetworkDeviceData,6
AllocationResult devices,#DeviceAllocationResult,1 nodeSelector,*#core/v1.NodeSelector,3 allocationTimestamp,*T,5
BasicDevice attributes,{#DeviceAttribute,1 capacity,{#DeviceCapacity,2 consumesCounters,[#DeviceCounterConsumption,3,atomic nodeName,*s,4 nodeSelector,*#core/v1.NodeSelector,5 allNodes,*b,6 taints,[#DeviceTaint,7,atomic bindsToNode,*b,8 bindingConditions,[s,9,atomic bindingFailureConditions,[s,10,atomic allowMultipleAllocations,*b,11 nodeAllocatableResourceMappings,{#NodeAllocatableResourceMapping,12
CELDeviceSelector expression,s,1,r,e
CapacityRequestPolicy default,*Q,1,e validValues,[Q,3,atomic validRange,*#CapacityRequestPolicyRange,4
CapacityRequestPolicyRange min,*Q,1,r max,*Q,2 step,*Q,3
CapacityRequirements requests,{Q,1
Counter value,Q,1,r,e
CounterSet name,s,1,r,e counters,{#Counter,2,r
Device name,s,1,r,e basic,*#BasicDevice,2
DeviceAllocationConfiguration source,@AllocationConfigSource,1,r,e requests,[s,2,atomic ,#DeviceConfiguration,3,n
DeviceAllocationResult results,[#DeviceRequestAllocationResult,1,atomic config,[#DeviceAllocationConfiguration,2,atomic
DeviceAttribute int,*l,2 bool,*b,3 string,*s,4 version,*s,5 ints,[l,6,atomic bools,[b,7,atomic strings,[s,8,atomic versions,[s,9,atomic
DeviceCapacity value,Q,1,r,e requestPolicy,*#CapacityRequestPolicy,2
DeviceClaim requests,[#DeviceRequest,1,e,atomic constraints,[#DeviceConstraint,2,atomic config,[#DeviceClaimConfiguration,3,atomic
DeviceClaimConfiguration requests,[s,1,atomic ,#DeviceConfiguration,2,n
DeviceClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#DeviceClassSpec,2,r,e
DeviceClassConfiguration ,#DeviceConfiguration,1,n
DeviceClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#DeviceClass,2,r,e
DeviceClassSpec selectors,[#DeviceSelector,1,atomic config,[#DeviceClassConfiguration,2,atomic extendedResourceName,*s,4
DeviceConfiguration,h opaque,*#OpaqueDeviceConfiguration,1
DeviceConstraint requests,[s,1,atomic matchAttribute,*s,2 distinctAttribute,*s,3
DeviceCounterConsumption counterSet,s,1,r,e counters,{#Counter,2,r
DeviceRequest name,s,1,r,e deviceClassName,s,2,e selectors,[#DeviceSelector,3,atomic allocationMode,@DeviceAllocationMode,4 count,l,5 adminAccess,*b,6 firstAvailable,[#DeviceSubRequest,7,atomic tolerations,[#DeviceToleration,8,atomic capacity,*#CapacityRequirements,9
DeviceRequestAllocationResult request,s,1,r,e driver,s,2,r,e pool,s,3,r,e device,s,4,r,e adminAccess,*b,5 tolerations,[#DeviceToleration,6,atomic bindingConditions,[s,7,atomic bindingFailureConditions,[s,8,atomic shareID,*s,9 consumedCapacity,{Q,10
DeviceSelector cel,*#CELDeviceSelector,1
DeviceSubRequest name,s,1,r,e deviceClassName,s,2,r,e selectors,[#DeviceSelector,3,atomic allocationMode,@DeviceAllocationMode,4 count,l,5 tolerations,[#DeviceToleration,7,atomic capacity,*#CapacityRequirements,8
DeviceTaint key,s,1,r,e value,s,2 effect,@DeviceTaintEffect,3,r,e timeAdded,*T,4
DeviceToleration key,s,1 operator,@DeviceTolerationOperator,2,d="Equal" value,s,3 effect,@DeviceTaintEffect,4 tolerationSeconds,*l,5
NetworkDeviceData interfaceName,s,1 ips,[s,2,atomic hardwareAddress,s,3
NodeAllocatableResourceMapping capacityKey,*s,1 allocationMultiplier,*Q,2
OpaqueDeviceConfiguration driver,s,1,r,e parameters,R,2,r,e
ResourceClaim,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimSpec,2,r,e status,#ResourceClaimStatus,3
ResourceClaimConsumerReference apiGroup,s,1 resource,s,3,r,e name,s,4,r,e uid,s,5,r,e
ResourceClaimList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceClaim,2,r,e
ResourceClaimSpec devices,#DeviceClaim,1,e
ResourceClaimStatus allocation,*#AllocationResult,1 reservedFor,[#ResourceClaimConsumerReference,2,k=uid,p=merge,m=uid devices,[#AllocatedDeviceStatus,4,k=driver;device;pool;shareID
ResourceClaimTemplate,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimTemplateSpec,2,r,e
ResourceClaimTemplateList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceClaimTemplate,2,r,e
ResourceClaimTemplateSpec metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimSpec,2,r,e
ResourcePool name,s,1,r,e generation,l,2,r,e resourceSliceCount,l,3,r,e
ResourceSlice,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceSliceSpec,2,r,e
ResourceSliceList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceSlice,2,r,e
ResourceSliceSpec driver,s,1,r,e pool,#ResourcePool,2,r,e nodeName,s,3 nodeSelector,*#core/v1.NodeSelector,4 allNodes,b,5 devices,[#Device,6,atomic perDeviceNodeSelection,*b,7 sharedCounters,[#CounterSet,8,atomic
=resource/v1beta2 io.k8s.api.resource.v1beta2 resource.k8s.io
+AllocationConfigSource FromClaim;FromClass
+DeviceAllocationMode All;ExactCount
+DeviceTaintEffect NoExecute;NoSchedule;None
+DeviceTolerationOperator Equal;Exists
AllocatedDeviceStatus driver,s,1,r,e pool,s,2,r,e device,s,3,r,e shareID,*s,7 conditions,[#meta/v1.Condition,4,e,k=type data,*R,5 networkData,*#NetworkDeviceData,6
AllocationResult devices,#DeviceAllocationResult,1 nodeSelector,*#core/v1.NodeSelector,3 allocationTimestamp,*T,5
CELDeviceSelector expression,s,1,r,e
CapacityRequestPolicy default,*Q,1,e validValues,[Q,3,atomic validRange,*#CapacityRequestPolicyRange,4
CapacityRequestPolicyRange min,*Q,1,r max,*Q,2 step,*Q,3
CapacityRequirements requests,{Q,1
Counter value,Q,1,r,e
CounterSet name,s,1,r,e counters,{#Counter,2,r
Device name,s,1,r,e attributes,{#DeviceAttribute,2 capacity,{#DeviceCapacity,3 consumesCounters,[#DeviceCounterConsumption,4,atomic nodeName,*s,5 nodeSelector,*#core/v1.NodeSelector,6 allNodes,*b,7 taints,[#DeviceTaint,8,atomic bindsToNode,*b,9 bindingConditions,[s,10,atomic bindingFailureConditions,[s,11,atomic allowMultipleAllocations,*b,12 nodeAllocatableResourceMappings,{#NodeAllocatableResourceMapping,13
DeviceAllocationConfiguration source,@AllocationConfigSource,1,r,e requests,[s,2,atomic ,#DeviceConfiguration,3,n
DeviceAllocationResult results,[#DeviceRequestAllocationResult,1,atomic config,[#DeviceAllocationConfiguration,2,atomic
DeviceAttribute int,*l,2 bool,*b,3 string,*s,4 version,*s,5 ints,[l,6,atomic bools,[b,7,atomic strings,[s,8,atomic versions,[s,9,atomic
DeviceCapacity value,Q,1,r,e requestPolicy,*#CapacityRequestPolicy,2
DeviceClaim requests,[#DeviceRequest,1,e,atomic constraints,[#DeviceConstraint,2,atomic config,[#DeviceClaimConfiguration,3,atomic
DeviceClaimConfiguration requests,[s,1,atomic ,#DeviceConfiguration,2,n
DeviceClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#DeviceClassSpec,2,r,e
DeviceClassConfiguration ,#DeviceConfiguration,1,n
DeviceClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#DeviceClass,2,r,e
DeviceClassSpec selectors,[#DeviceSelector,1,atomic config,[#DeviceClassConfiguration,2,atomic extendedResourceName,*s,4
DeviceConfiguration,h opaque,*#OpaqueDeviceConfiguration,1
DeviceConstraint requests,[s,1,atomic matchAttribute,*s,2 distinctAttribute,*s,3
DeviceCounterConsumption counterSet,s,1,r,e counters,{#Counter,2,r
DeviceRequest name,s,1,r,e exactly,*#ExactDeviceRequest,2 firstAvailable,[#DeviceSubRequest,3,atomic
DeviceRequestAllocationResult request,s,1,r,e driver,s,2,r,e pool,s,3,r,e device,s,4,r,e adminAccess,*b,5 tolerations,[#DeviceToleration,6,atomic bindingConditions,[s,7,atomic bindingFailureConditions,[s,8,atomic shareID,*s,9 consumedCapacity,{Q,10
DeviceSelector cel,*#CELDeviceSelector,1
DeviceSubRequest name,s,1,r,e deviceClassName,s,2,r,e selectors,[#DeviceSelector,3,atomic allocationMode,@DeviceAllocationMode,4 count,l,5 tolerations,[#DeviceToleration,6,atomic capacity,*#CapacityRequirements,7
DeviceTaint key,s,1,r,e value,s,2 effect,@DeviceTaintEffect,3,r,e timeAdded,*T,4
DeviceTaintRule,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#DeviceTaintRuleSpec,2,r,e status,#DeviceTaintRuleStatus,3
DeviceTaintRuleList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#DeviceTaintRule,2,r,e
DeviceTaintRuleSpec deviceSelector,*#DeviceTaintSelector,1 taint,#DeviceTaint,2,r
DeviceTaintRuleStatus conditions,[#meta/v1.Condition,1,k=type,p=merge,m=type
DeviceTaintSelector driver,*s,2 pool,*s,3 device,*s,4
DeviceToleration key,s,1 operator,@DeviceTolerationOperator,2,d="Equal" value,s,3 effect,@DeviceTaintEffect,4 tolerationSeconds,*l,5
ExactDeviceRequest deviceClassName,s,1,r,e selectors,[#DeviceSelector,2,atomic allocationMode,@DeviceAllocationMode,3 count,l,4 adminAccess,*b,5 tolerations,[#DeviceToleration,6,atomic capacity,*#CapacityRequirements,7
NetworkDeviceData interfaceName,s,1 ips,[s,2,atomic hardwareAddress,s,3
NodeAllocatableResourceMapping capacityKey,*s,1 allocationMultiplier,*Q,2
OpaqueDeviceConfiguration driver,s,1,r,e parameters,R,2,r,e
ResourceClaim,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimSpec,2,r,e status,#ResourceClaimStatus,3
ResourceClaimConsumerReference apiGroup,s,1 resource,s,3,r,e name,s,4,r,e uid,s,5,r,e
ResourceClaimList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceClaim,2,r,e
ResourceClaimSpec devices,#DeviceClaim,1,e
ResourceClaimStatus allocation,*#AllocationResult,1 reservedFor,[#ResourceClaimConsumerReference,2,k=uid,p=merge,m=uid devices,[#AllocatedDeviceStatus,4,k=driver;device;pool;shareID
ResourceClaimTemplate,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimTemplateSpec,2,r,e
ResourceClaimTemplateList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceClaimTemplate,2,r,e
ResourceClaimTemplateSpec metadata,#meta/v1.ObjectMeta,1 spec,#ResourceClaimSpec,2,r,e
ResourcePool name,s,1,r,e generation,l,2,r,e resourceSliceCount,l,3,r,e
ResourceSlice,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#ResourceSliceSpec,2,r,e
ResourceSliceList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#ResourceSlice,2,r,e
ResourceSliceSpec driver,s,1,r,e pool,#ResourcePool,2,r,e nodeName,*s,3 nodeSelector,*#core/v1.NodeSelector,4 allNodes,*b,5 devices,[#Device,6,atomic perDeviceNodeSelection,*b,7 sharedCounters,[#CounterSet,8,atomic
=scheduling/v1 io.k8s.api.scheduling.v1 scheduling.k8s.io
PriorityClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 value,i,2,e globalDefault,b,3 description,s,4 preemptionPolicy,*@core/v1.PreemptionPolicy,5
PriorityClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#PriorityClass,2,r,e
=scheduling/v1alpha2 io.k8s.api.scheduling.v1alpha2 scheduling.k8s.io
+DisruptionMode Pod;PodGroup
BasicSchedulingPolicy
GangSchedulingPolicy minCount,i,1,r,e
PodGroup,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#PodGroupSpec,2,r,e status,#PodGroupStatus,3
PodGroupList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#PodGroup,2,r,e
PodGroupResourceClaim name,s,1,r,e resourceClaimName,*s,2 resourceClaimTemplateName,*s,3
PodGroupResourceClaimStatus name,s,1,r,e resourceClaimName,*s,2
PodGroupSchedulingConstraints topology,[#TopologyConstraint,1,atomic
PodGroupSchedulingPolicy basic,*#BasicSchedulingPolicy,1 gang,*#GangSchedulingPolicy,2
PodGroupSpec podGroupTemplateRef,*#PodGroupTemplateReference,1,e schedulingPolicy,#PodGroupSchedulingPolicy,2,r,e schedulingConstraints,*#PodGroupSchedulingConstraints,3 resourceClaims,[#PodGroupResourceClaim,4,k=name,p=merge;retainKeys,m=name disruptionMode,*@DisruptionMode,5,d="Pod" priorityClassName,s,6 priority,*i,7
PodGroupStatus conditions,[#meta/v1.Condition,1,k=type,p=merge,m=type resourceClaimStatuses,[#PodGroupResourceClaimStatus,2,k=name,p=merge;retainKeys,m=name
PodGroupTemplate name,s,1,r,e schedulingPolicy,#PodGroupSchedulingPolicy,2,r,e schedulingConstraints,*#PodGroupSchedulingConstraints,3,e resourceClaims,[#PodGroupResourceClaim,4,k=name,p=merge;retainKeys,m=name disruptionMode,*@DisruptionMode,5 priorityClassName,s,6 priority,*i,7
PodGroupTemplateReference workload,*#WorkloadPodGroupTemplateReference,1,e
TopologyConstraint key,s,1,r,e
TypedLocalObjectReference apiGroup,s,1 kind,s,2,r,e name,s,3,r,e
Workload,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#WorkloadSpec,2,r,e
WorkloadList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#Workload,2,r,e
WorkloadPodGroupTemplateReference workloadName,s,1,r,e podGroupTemplateName,s,2,r,e
WorkloadSpec controllerRef,*#TypedLocalObjectReference,1 podGroupTemplates,[#PodGroupTemplate,2,r,e,k=name
=storage/v1 io.k8s.api.storage.v1 storage.k8s.io
+VolumeBindingMode Immediate;WaitForFirstConsumer
CSIDriver,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#CSIDriverSpec,2,r,e
CSIDriverList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#CSIDriver,2,r,e
CSIDriverSpec attachRequired,*b,1 podInfoOnMount,*b,2 volumeLifecycleModes,[s,3,set storageCapacity,*b,4 fsGroupPolicy,*s,5 tokenRequests,[#TokenRequest,6,atomic requiresRepublish,*b,7 seLinuxMount,*b,8 nodeAllocatableUpdatePeriodSeconds,*l,9 serviceAccountTokenInSecrets,*b,10 preventPodSchedulingIfMissing,*b,11
CSINode,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#CSINodeSpec,2,r,e
CSINodeDriver name,s,1,r,e nodeID,s,2,r,e topologyKeys,[s,3,e,atomic allocatable,*#VolumeNodeResources,4
CSINodeList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#CSINode,2,r,e
CSINodeSpec drivers,[#CSINodeDriver,1,r,e,k=name,p=merge,m=name
CSIStorageCapacity,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 nodeTopology,*#meta/v1.LabelSelector,2 storageClassName,s,3,r,e capacity,*Q,4 maximumVolumeSize,*Q,5
CSIStorageCapacityList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#CSIStorageCapacity,2,r,e
StorageClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 provisioner,s,2,r,e parameters,{s,3 reclaimPolicy,*@core/v1.PersistentVolumeReclaimPolicy,4 mountOptions,[s,5,atomic allowVolumeExpansion,*b,6 volumeBindingMode,*@VolumeBindingMode,7 allowedTopologies,[#core/v1.TopologySelectorTerm,8,atomic
StorageClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#StorageClass,2,r,e
TokenRequest audience,s,1,r,e expirationSeconds,*l,2
VolumeAttachment,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#VolumeAttachmentSpec,2,r,e status,#VolumeAttachmentStatus,3
VolumeAttachmentList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#VolumeAttachment,2,r,e
VolumeAttachmentSource persistentVolumeName,*s,1 inlineVolumeSpec,*#core/v1.PersistentVolumeSpec,2
VolumeAttachmentSpec attacher,s,1,r,e source,#VolumeAttachmentSource,2,r,e nodeName,s,3,r,e
VolumeAttachmentStatus attached,b,1,r,e attachmentMetadata,{s,2 attachError,*#VolumeError,3 detachError,*#VolumeError,4
VolumeAttributesClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 driverName,s,2,r,e parameters,{s,3
VolumeAttributesClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#VolumeAttributesClass,2,r,e
VolumeError time,T,1 message,s,2 errorCode,*i,3
VolumeNodeResources count,*i,1
=storage/v1beta1 io.k8s.api.storage.v1beta1 storage.k8s.io
VolumeAttributesClass,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 driverName,s,2,r,e parameters,{s,3
VolumeAttributesClassList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#VolumeAttributesClass,2,r,e
=storagemigration/v1beta1 io.k8s.api.storagemigration.v1beta1 storagemigration.k8s.io
StorageVersionMigration,k kind,s, apiVersion,s, metadata,#meta/v1.ObjectMeta,1 spec,#StorageVersionMigrationSpec,2 status,#StorageVersionMigrationStatus,3
StorageVersionMigrationList,k kind,s, apiVersion,s, metadata,#meta/v1.ListMeta,1 items,[#StorageVersionMigration,2,r,e
StorageVersionMigrationSpec resource,#meta/v1.GroupResource,1,r,e
StorageVersionMigrationStatus conditions,[#meta/v1.Condition,1,k=type,p=merge,m=type resourceVersion,s,2
`;
