// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.

/** Its form is described in ../schema/discovery.ts. */
export const discoveryTable: string = `
= v1
bindings,Binding,,N,c
componentstatuses,ComponentStatus,,C,gl,cs
configmaps,ConfigMap,,N,cdDglpuw,cm,,qFsyl6wFWjQ=
endpoints,Endpoints,,N,cdDglpuw,ep,,fWeeMqaN/OA=
events,Event,,N,cdDglpuw,ev,,r2yiGXH7wu8=
limitranges,LimitRange,,N,cdDglpuw,limits,,EBKMFVe6cwo=
namespaces,Namespace,,C,cdglpuw,ns,,Q3oi5N2YM8M=
/finalize,u,Namespace
/status,gpu,Namespace
nodes,Node,,C,cdDglpuw,no,,XwShjMxG9Fs=
/proxy,cdgpu,NodeProxyOptions
/status,gpu,Node
persistentvolumeclaims,PersistentVolumeClaim,,N,cdDglpuw,pvc,,QWTyNDq0dC4=
/status,gpu,PersistentVolumeClaim
persistentvolumes,PersistentVolume,,C,cdDglpuw,pv,,HN/zwEC+JgM=
/status,gpu,PersistentVolume
pods,Pod,,N,cdDglpuw,po,all,xPOwRZ+Yhw8=
/attach,cg,PodAttachOptions
/binding,c,Binding
/ephemeralcontainers,gpu,Pod
/eviction,c,Eviction,policy,v1
/exec,cg,PodExecOptions
/log,g,Pod
/portforward,cg,PodPortForwardOptions
/proxy,cdgpu,PodProxyOptions
/resize,gpu,Pod
/status,gpu,Pod
podtemplates,PodTemplate,,N,cdDglpuw,,,LIXB2x4IFpk=
replicationcontrollers,ReplicationController,,N,cdDglpuw,rc,all,Jond2If31h0=
/scale,gpu,Scale,autoscaling,v1
/status,gpu,ReplicationController
resourcequotas,ResourceQuota,,N,cdDglpuw,quota,,8uhSgffRX6w=
/status,gpu,ResourceQuota
secrets,Secret,,N,cdDglpuw,,,S6u1pOWzb84=
serviceaccounts,ServiceAccount,,N,cdDglpuw,sa,,pbx9ZvyFpBE=
/token,c,TokenRequest,authentication.k8s.io,v1
services,Service,,N,cdDglpuw,svc,all,0/CO1lhkEBI=
/proxy,cdgpu,ServiceProxyOptions
/status,gpu,Service
=apiregistration.k8s.io v1
apiservices,APIService,,C,cdDglpuw,,api-extensions,InPBPD7+PqM=
/status,gpu,APIService
=apps v1
controllerrevisions,ControllerRevision,,N,cdDglpuw,,,85nkx63pcBU=
daemonsets,DaemonSet,,N,cdDglpuw,ds,all,dd7pWHUlMKQ=
/status,gpu,DaemonSet
deployments,Deployment,,N,cdDglpuw,deploy,all,8aSe+NMegvE=
/scale,gpu,Scale,autoscaling,v1
/status,gpu,Deployment
replicasets,ReplicaSet,,N,cdDglpuw,rs,all,P1RzHs8/mWQ=
/scale,gpu,Scale,autoscaling,v1
/status,gpu,ReplicaSet
statefulsets,StatefulSet,,N,cdDglpuw,sts,all,H+vl74LkKdo=
/scale,gpu,Scale,autoscaling,v1
/status,gpu,StatefulSet
=events.k8s.io v1
events,Event,,N,cdDglpuw,ev,,r2yiGXH7wu8=,/v1
=authentication.k8s.io v1
selfsubjectreviews,SelfSubjectReview,,C,c
tokenreviews,TokenReview,,C,c
=authorization.k8s.io v1
localsubjectaccessreviews,LocalSubjectAccessReview,,N,c
selfsubjectaccessreviews,SelfSubjectAccessReview,,C,c
selfsubjectrulesreviews,SelfSubjectRulesReview,,C,c
subjectaccessreviews,SubjectAccessReview,,C,c
=autoscaling v2
horizontalpodautoscalers,HorizontalPodAutoscaler,,N,cdDglpuw,hpa,all,qwQve8ut294=
/status,gpu,HorizontalPodAutoscaler
=autoscaling v1
horizontalpodautoscalers,HorizontalPodAutoscaler,,N,cdDglpuw,hpa,all,qwQve8ut294=,autoscaling/v2
/status,gpu,HorizontalPodAutoscaler
=batch v1
cronjobs,CronJob,,N,cdDglpuw,cj,all,sd5LIXh4Fjs=
/status,gpu,CronJob
jobs,Job,,N,cdDglpuw,,all,mudhfqk/qZY=
/status,gpu,Job
=certificates.k8s.io v1
certificatesigningrequests,CertificateSigningRequest,,C,cdDglpuw,csr,,95fRKMXA+00=
/approval,gpu,CertificateSigningRequest
/status,gpu,CertificateSigningRequest
=certificates.k8s.io v1beta1
clustertrustbundles,ClusterTrustBundle,,C,cdDglpuw,,,v5yhuVertL4=
podcertificaterequests,PodCertificateRequest,,N,cdDglpuw,,,wYA9yXQH8fg=
/status,gpu,PodCertificateRequest
=certificates.k8s.io v1alpha1
clustertrustbundles,ClusterTrustBundle,,C,cdDglpuw,,,v5yhuVertL4=,certificates.k8s.io/v1beta1
=networking.k8s.io v1
ingressclasses,IngressClass,,C,cdDglpuw,,,l/iqIbDgFyQ=
ingresses,Ingress,,N,cdDglpuw,ing,,39NQlfNR+bo=
/status,gpu,Ingress
ipaddresses,IPAddress,,C,cdDglpuw,ip,,3f/plJFChNE=
networkpolicies,NetworkPolicy,,N,cdDglpuw,netpol,,YpfwF18m1G8=
servicecidrs,ServiceCIDR,,C,cdDglpuw,,,gNLvruQhW2g=
/status,gpu,ServiceCIDR
=networking.k8s.io v1beta1
ipaddresses,IPAddress,,C,cdDglpuw,ip,,3f/plJFChNE=,networking.k8s.io/v1
servicecidrs,ServiceCIDR,,C,cdDglpuw,,,gNLvruQhW2g=,networking.k8s.io/v1
/status,gpu,ServiceCIDR
=policy v1
poddisruptionbudgets,PodDisruptionBudget,,N,cdDglpuw,pdb,,EVWiDmWqyJw=
/status,gpu,PodDisruptionBudget
=rbac.authorization.k8s.io v1
clusterrolebindings,ClusterRoleBinding,,C,cdDglpuw,,,48tpQ8gZHFc=
clusterroles,ClusterRole,,C,cdDglpuw,,,bYE5ZWDrJ44=
rolebindings,RoleBinding,,N,cdDglpuw,,,eGsCzGH6b1g=
roles,Role,,N,cdDglpuw,,,7FuwZcIIItM=
=storage.k8s.io v1
csidrivers,CSIDriver,,C,cdDglpuw,,,hL6j/rwBV5w=
csinodes,CSINode,,C,cdDglpuw,,,Pe62DkZtjuo=
csistoragecapacities,CSIStorageCapacity,,N,cdDglpuw,,,xeVl+2Ly1kE=
storageclasses,StorageClass,,C,cdDglpuw,sc,,K+m6uJwbjGY=
volumeattachments,VolumeAttachment,,C,cdDglpuw,,,tJx/ezt6UDU=
/status,gpu,VolumeAttachment
volumeattributesclasses,VolumeAttributesClass,,C,cdDglpuw,vac,,tIjydgKBC5w=
=storage.k8s.io v1beta1
volumeattributesclasses,VolumeAttributesClass,,C,cdDglpuw,vac,,tIjydgKBC5w=,storage.k8s.io/v1
=admissionregistration.k8s.io v1
mutatingadmissionpolicies,MutatingAdmissionPolicy,,C,cdDglpuw,,api-extensions,LYmCf+UMVdg=,admissionregistration.k8s.io/v1beta1
mutatingadmissionpolicybindings,MutatingAdmissionPolicyBinding,,C,cdDglpuw,,api-extensions,90V5FRZZ3Zg=,admissionregistration.k8s.io/v1beta1
mutatingwebhookconfigurations,MutatingWebhookConfiguration,,C,cdDglpuw,,api-extensions,Sqi0GUgDaX0=
validatingadmissionpolicies,ValidatingAdmissionPolicy,,C,cdDglpuw,,api-extensions,6OxvlMmQ6is=
/status,gpu,ValidatingAdmissionPolicy
validatingadmissionpolicybindings,ValidatingAdmissionPolicyBinding,,C,cdDglpuw,,api-extensions,v9715VZqakg=
validatingwebhookconfigurations,ValidatingWebhookConfiguration,,C,cdDglpuw,,api-extensions,B0wHjQmsGNk=
=admissionregistration.k8s.io v1beta1
mutatingadmissionpolicies,MutatingAdmissionPolicy,,C,cdDglpuw,,api-extensions,LYmCf+UMVdg=
mutatingadmissionpolicybindings,MutatingAdmissionPolicyBinding,,C,cdDglpuw,,api-extensions,90V5FRZZ3Zg=
=admissionregistration.k8s.io v1alpha1
mutatingadmissionpolicies,MutatingAdmissionPolicy,,C,cdDglpuw,,api-extensions,LYmCf+UMVdg=,admissionregistration.k8s.io/v1beta1
mutatingadmissionpolicybindings,MutatingAdmissionPolicyBinding,,C,cdDglpuw,,api-extensions,90V5FRZZ3Zg=,admissionregistration.k8s.io/v1beta1
=apiextensions.k8s.io v1
customresourcedefinitions,CustomResourceDefinition,,C,cdDglpuw,crd;crds,api-extensions,jfWCUB31mvA=,apiextensions.k8s.io/v1beta1
/status,gpu,CustomResourceDefinition
=scheduling.k8s.io v1
priorityclasses,PriorityClass,,C,cdDglpuw,pc,,1QwjyaZjj3Y=
=scheduling.k8s.io v1alpha2
podgroups,PodGroup,,N,cdDglpuw,,,YYgX3v5V204=
/status,gpu,PodGroup
workloads,Workload,,N,cdDglpuw,,,vSX7gJe5Mx8=
=coordination.k8s.io v1
leases,Lease,,N,cdDglpuw,,,gqkMMb/YqFM=
=coordination.k8s.io v1beta1
leasecandidates,LeaseCandidate,,N,cdDglpuw,,,lvME0iHWE20=
=coordination.k8s.io v1alpha2
leasecandidates,LeaseCandidate,,N,cdDglpuw,,,lvME0iHWE20=,coordination.k8s.io/v1beta1
=node.k8s.io v1
runtimeclasses,RuntimeClass,,C,cdDglpuw,,,WQTu1GL3T2Q=
=discovery.k8s.io v1
endpointslices,EndpointSlice,,N,cdDglpuw,,,qgS0xkrxYAI=
=resource.k8s.io v1
deviceclasses,DeviceClass,,C,cdDglpuw,,,Yk2PTc1Ybxk=
resourceclaims,ResourceClaim,,N,cdDglpuw,,,wgAZaHcZxUg=
/status,gpu,ResourceClaim
resourceclaimtemplates,ResourceClaimTemplate,,N,cdDglpuw,,,TuzjC49aUfM=
resourceslices,ResourceSlice,,C,cdDglpuw,,,KsC072WgaEY=
=resource.k8s.io v1beta2
deviceclasses,DeviceClass,,C,cdDglpuw,,,Yk2PTc1Ybxk=,resource.k8s.io/v1
devicetaintrules,DeviceTaintRule,,C,cdDglpuw,,,DJ3UJ0fj8MI=,resource.k8s.io/v1alpha3
/status,gpu,DeviceTaintRule
resourceclaims,ResourceClaim,,N,cdDglpuw,,,wgAZaHcZxUg=,resource.k8s.io/v1
/status,gpu,ResourceClaim
resourceclaimtemplates,ResourceClaimTemplate,,N,cdDglpuw,,,TuzjC49aUfM=,resource.k8s.io/v1
resourceslices,ResourceSlice,,C,cdDglpuw,,,KsC072WgaEY=,resource.k8s.io/v1
=resource.k8s.io v1beta1
deviceclasses,DeviceClass,,C,cdDglpuw,,,Yk2PTc1Ybxk=,resource.k8s.io/v1
resourceclaims,ResourceClaim,,N,cdDglpuw,,,wgAZaHcZxUg=,resource.k8s.io/v1
/status,gpu,ResourceClaim
resourceclaimtemplates,ResourceClaimTemplate,,N,cdDglpuw,,,TuzjC49aUfM=,resource.k8s.io/v1
resourceslices,ResourceSlice,,C,cdDglpuw,,,KsC072WgaEY=,resource.k8s.io/v1
=resource.k8s.io v1alpha3
devicetaintrules,DeviceTaintRule,,C,cdDglpuw,,,DJ3UJ0fj8MI=
/status,gpu,DeviceTaintRule
resourcepoolstatusrequests,ResourcePoolStatusRequest,,C,cdDglpuw,,,iy583CtMwdY=
/status,gpu,ResourcePoolStatusRequest
=flowcontrol.apiserver.k8s.io v1
flowschemas,FlowSchema,,C,cdDglpuw,,,GJVAJZSZBIw=
/status,gpu,FlowSchema
prioritylevelconfigurations,PriorityLevelConfiguration,,C,cdDglpuw,,,Kir5PVfvNeI=
/status,gpu,PriorityLevelConfiguration
=internal.apiserver.k8s.io v1alpha1
storageversions,StorageVersion,,C,cdDglpuw,,,c8YZt5U0nPk=
/status,gpu,StorageVersion
=storagemigration.k8s.io v1beta1
storageversionmigrations,StorageVersionMigration,,C,cdDglpuw,,,pCjmmKOkLy4=
/status,gpu,StorageVersionMigration
`;
