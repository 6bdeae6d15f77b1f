/** Our own descriptions of the fields that all objects share, and of the kinds that run the API itself. */
import type { Words } from "./words.js";

/** Fields that mean the same wherever they occur. */
export const everywhere: Readonly<Record<string, string>> = {
  apiVersion: "APIVersion defines the group and version of the object's schema, such as apps/v1.",
  kind: "The sort of this object, such as Deployment.",
  metadata: "Standard object's metadata: name, namespace, labels, owners, versions.",
  spec: "The wanted state.",
  status: "The observed state. Written by controllers, not by users.",
  items: "The objects in the list.",
  observedGeneration: "The metadata.generation that this was written about.",
  conditions: "The latest observations about the object, at most one of each type.",
};

/** Fields of every type whose name ends with `Condition`. */
export const ofConditions: Readonly<Record<string, string>> = {
  type: "The aspect that is observed.",
  status: "Whether it is the case: True, False or Unknown.",
  reason: "One word for why, meant for programs.",
  message: "Why, meant for people.",
  lastTransitionTime: "When the status last changed.",
  lastUpdateTime: "When the condition was last written.",
  lastProbeTime: "When the condition was last looked at.",
};

export const machineryWords: Words = {
  "meta/v1.ObjectMeta": {
    "": "The members of all objects.",
    name: "Unique among the objects of its kind in its namespace. Cannot be changed.",
    generateName: "A prefix from which the server makes a unique name, if no name is given.",
    namespace: "The namespace in which the object lives. Empty for kinds that have none. Cannot be changed.",
    uid: "Unique in time and space: an object that is made again under its old name has another. Given by the server.",
    resourceVersion: "Changes with every write. An update that carries an old one is refused. Opaque to clients.",
    generation: "Counts the changes of what is wanted. Given by the server.",
    creationTimestamp: "CreationTimestamp is a timestamp that the server gives when the object is made.",
    deletionTimestamp: "When the object will be gone, or would be if nothing held it. Set by a delete.",
    deletionGracePeriodSeconds: "How long the object may take to end. Set together with deletionTimestamp.",
    labels: "Short facts about the object by which it can be selected.",
    annotations: "Facts of any length for tools and people. Not for selecting.",
    ownerReferences: "The objects on which this one depends: when all are gone, it goes too.",
    finalizers:
      "Names of those who must still do something before the object may go. The last one to leave lets it go.",
    managedFields: "The field managers, with the fields that each has set and the way it did.",
    selfLink: "Not used any more.",
  },
  "meta/v1.OwnerReference": {
    "": "An object on which another one depends.",
    uid: "The owner's uid: one of the same name made later is not the owner.",
    controller: "This owner manages the object. At most one does.",
    blockOwnerDeletion: "A foreground deletion of the owner waits until this object is gone.",
  },
  "meta/v1.ManagedFieldsEntry": {
    "": "The fields that one manager has set in one way.",
    manager: "Who.",
    operation: "How: Apply or Update.",
    fieldsV1: "Which fields, as a tree of keys.",
    time: "When.",
    subresource: "Through which subresource.",
  },
  "meta/v1.ListMeta": {
    "": "The members of all lists.",
    resourceVersion: "The revision at which the list was true. A watch may start from it.",
    continue: "Present if there is more: sent back, it gives the next page.",
    remainingItemCount: "How many objects are left after this page, if that is known.",
  },
  "meta/v1.LabelSelector": {
    "": "Selects objects by their labels. All requirements must hold; an empty selector matches everything.",
    matchLabels: "Labels that must have exactly these values.",
    matchExpressions: "Requirements about the presence and values of labels.",
  },
  "meta/v1.LabelSelectorRequirement": {
    "": "One requirement about one label.",
    key: "The label.",
    operator: "In, NotIn, Exists or DoesNotExist.",
    values: "The values for In and NotIn.",
  },
  "meta/v1.Status": {
    "": "The outcome of a request that did not give an object.",
    status: "Success or Failure.",
    code: "The HTTP status code.",
    reason: "One word for why, meant for programs.",
    message: "Why, meant for people.",
    details: "About what, and what exactly.",
  },
  "meta/v1.DeleteOptions": {
    "": "How to delete.",
    gracePeriodSeconds: "How long the object may take to end; 0 means at once.",
    preconditions: "Refuse unless the object still is the one that is meant.",
    propagationPolicy: "The fate of dependents: Orphan, Background or Foreground.",
    dryRun: "All: say what would happen, and do nothing.",
  },
  "admissionregistration/v1.MutatingWebhookConfiguration": {
    "": "Web hooks that may change objects before they are stored.",
    webhooks: "The hooks, with what they want to see.",
  },
  "admissionregistration/v1.ValidatingWebhookConfiguration": {
    "": "Web hooks that may refuse objects before they are stored.",
    webhooks: "The hooks, with what they want to see.",
  },
  "admissionregistration/v1.ValidatingAdmissionPolicy": {
    "": "Rules in CEL that may refuse objects before they are stored.",
  },
  "admissionregistration/v1.ValidatingAdmissionPolicyBinding": {
    "": "Where a policy holds, with which parameters, and what a violation leads to.",
  },
  "admissionregistration/v1.MutatingAdmissionPolicy": {
    "": "Changes in CEL that are made to objects before they are stored.",
  },
  "admissionregistration/v1.MutatingAdmissionPolicyBinding": {
    "": "Where a policy that changes objects holds, and with which parameters.",
  },
  "apiextensions/v1.CustomResourceDefinition": { "": "A kind that users add to the API." },
  "apiextensions/v1.CustomResourceDefinitionSpec": {
    group: "The API group of the kind.",
    names: "How the kind is called: plural, singular, kind, short names.",
    scope: "Namespaced or Cluster.",
    versions: "The versions in which the kind is served; exactly one is stored.",
    conversion: "How objects are converted between versions.",
  },
  "apiextensions/v1.CustomResourceDefinitionVersion": {
    name: "Such as v1 or v1alpha1.",
    served: "Whether the API offers this version.",
    storage: "Whether objects are stored in this version.",
    schema: "The form of the objects: used for validation, pruning and defaults.",
    subresources: "Whether status and scale have endpoints of their own.",
    additionalPrinterColumns: "Columns that kubectl get shows.",
    selectableFields: "Fields that a field selector may use.",
  },
  "apiregistration/v1.APIService": {
    "": "The server that answers for a group and version of the API: this one, or a service behind it.",
  },
  "authentication/v1.TokenReview": { "": "Asks whose token this is." },
  "authentication/v1.TokenRequest": { "": "Asks for a token of a service account." },
  "authentication/v1.SelfSubjectReview": { "": "Asks as whom the server sees the asker." },
  "authorization/v1.SubjectAccessReview": { "": "Asks whether somebody may do something." },
  "authorization/v1.SelfSubjectAccessReview": { "": "Asks whether the asker may do something." },
  "authorization/v1.LocalSubjectAccessReview": { "": "Asks whether somebody may do something in one namespace." },
  "authorization/v1.SelfSubjectRulesReview": { "": "Asks what the asker may do in a namespace." },
  "certificates/v1.CertificateSigningRequest": { "": "Asks a signer for a certificate." },
  "coordination/v1.Lease": { "": "Says who holds something for now, such as leadership or a node's heartbeat." },
  "coordination/v1.LeaseSpec": {
    holderIdentity: "The identity of the holder.",
    leaseDurationSeconds: "How long the lease holds after its last renewal.",
    acquireTime: "Since when the holder has it.",
    renewTime: "When the holder last renewed it.",
    leaseTransitions: "How often it has changed hands.",
  },
  "flowcontrol/v1.FlowSchema": { "": "Sorts requests to the API into priority levels." },
  "flowcontrol/v1.PriorityLevelConfiguration": {
    "": "How many requests of one level the API works on at once, and how others wait.",
  },
  "rbac/v1.Role": { "": "Permissions within one namespace.", rules: "The permissions." },
  "rbac/v1.ClusterRole": {
    "": "Permissions in all namespaces, or for kinds that have none.",
    rules: "The permissions.",
  },
  "rbac/v1.RoleBinding": {
    "": "Gives a role to somebody, within one namespace.",
    roleRef: "The role. Cannot be changed.",
    subjects: "The users, groups and accounts that get it.",
  },
  "rbac/v1.ClusterRoleBinding": {
    "": "Gives a cluster role to somebody, everywhere.",
    roleRef: "The role. Cannot be changed.",
    subjects: "The users, groups and accounts that get it.",
  },
  "rbac/v1.PolicyRule": {
    "": "One set of things that may be done.",
    verbs: "Such as get, list, watch, create; * for all.",
    apiGroups: "The groups of the resources; the empty text is the core group.",
    resources: "The resources, with subresources as pods/log; * for all.",
    resourceNames: "Only objects of these names; all if empty.",
    nonResourceURLs: "Paths that are no resources, such as /healthz.",
  },
};
