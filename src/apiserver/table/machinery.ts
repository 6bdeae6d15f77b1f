/** Tables of kinds that configure the API itself: roles, webhooks, policies, certificates, flow control, device classes. */
import {
  type APIService,
  type CertificateSigningRequest,
  type ClusterRoleBinding,
  findCondition,
  type FlowSchema,
  type KubeObject,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  type MutatingWebhookConfiguration,
  type PriorityLevelConfiguration,
  type ResourceClaim,
  type ResourceSlice,
  type ValidatingAdmissionPolicy,
} from "../../api/index.js";
import { humanDuration } from "./human.js";
import { age, name, table, type Tables } from "./kind-table.js";
import { byName } from "../../api/meta/key.js";

const subjects =
  (kind: string) =>
  ({ subjects: all = [] }: ClusterRoleBinding): string =>
    all
      .filter((subject) => subject.kind === kind)
      .map(({ namespace, name: own }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${own}` : own))
      .join(", ");

/** The table of RoleBinding and ClusterRoleBinding. */
const roleBindings = table<ClusterRoleBinding>({
  Name: name,
  Role: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`,
  Age: age,
  "Users*": subjects("User"),
  "Groups*": subjects("Group"),
  "ServiceAccounts*": subjects("ServiceAccount"),
});

/** The table of both kinds of webhook configurations. */
const webhooks = table<MutatingWebhookConfiguration>({
  Name: name,
  "Webhooks:integer": ({ webhooks: all }) => all?.length ?? 0,
  Age: age,
});

function paramKind({ spec }: ValidatingAdmissionPolicy | MutatingAdmissionPolicy): string {
  const kind = spec?.paramKind;
  return kind ? `${kind.apiVersion ?? ""}/${kind.kind ?? ""}` : "<unset>";
}

/** The table of both kinds of policy bindings. */
const policyBindings = table<MutatingAdmissionPolicyBinding>({
  Name: name,
  PolicyName: ({ spec }) => spec?.policyName ?? "",
  // the table cannot tell whether the parameter's kind is namespaced
  ParamRef: ({ spec }) =>
    spec?.paramRef?.name ? `${spec.paramRef.namespace || "*"}/${spec.paramRef.name}` : "<unset>",
  Age: age,
});

function requestCondition({ status }: CertificateSigningRequest): string {
  const has = (wanted: string): boolean => findCondition(status?.conditions, wanted) !== undefined;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

function availability({ status }: APIService): string {
  const available = findCondition(status?.conditions, "Available");
  if (available === undefined) return "Unknown";
  return available.status === "True" ? "True" : `${available.status} (${available.reason})`;
}

const precedence = (object: KubeObject): number => (object as FlowSchema).spec?.matchingPrecedence ?? 0;

const queuing =
  (field: "queues" | "handSize" | "queueLengthLimit") =>
  ({ spec }: PriorityLevelConfiguration): number | string => {
    const given = spec?.limited?.limitResponse?.queuing;
    return given ? (given[field] ?? 0) : "<none>";
  };

/** The table of device classes and claim templates. */
const nameAndAge = table({ Name: name, Age: age });

function claimState({ metadata, status }: ResourceClaim): string {
  const deleted = metadata.deletionTimestamp !== undefined;
  const states = deleted ? ["deleted"] : [];
  if (status?.allocation) states.push("allocated", ...(status.reservedFor?.length ? ["reserved"] : []));
  else if (!deleted) states.push("pending");
  return states.join(",");
}

export const machineryTables: Tables = {
  "rbac.authorization.k8s.io/ClusterRoleBinding": roleBindings,
  "rbac.authorization.k8s.io/RoleBinding": roleBindings,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": table<ValidatingAdmissionPolicy>({
    Name: name,
    "Validations:integer": ({ spec }) => spec?.validations?.length ?? 0,
    ParamKind: paramKind,
    Age: age,
  }),
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": table<MutatingAdmissionPolicy>({
    Name: name,
    "Mutations:integer": ({ spec }) => spec?.mutations?.length ?? 0,
    ParamKind: paramKind,
    Age: age,
  }),
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": policyBindings,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": policyBindings,
  "certificates.k8s.io/CertificateSigningRequest": table<CertificateSigningRequest>({
    Name: name,
    Age: age,
    SignerName: ({ spec }) => spec.signerName || "<none>",
    Requestor: ({ spec }) => spec.username ?? "",
    RequestedDuration: ({ spec }) =>
      spec.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1000),
    Condition: requestCondition,
  }),
  "apiregistration.k8s.io/APIService": table<APIService>({
    Name: name,
    Service: ({ spec }) => (spec?.service ? `${spec.service.namespace}/${spec.service.name}` : "Local"),
    Available: availability,
    Age: age,
  }),
  "flowcontrol.apiserver.k8s.io/FlowSchema": {
    ...table<FlowSchema>({
      Name: name,
      PriorityLevel: ({ spec }) => spec?.priorityLevelConfiguration.name ?? "",
      MatchingPrecedence: precedence,
      DistinguisherMethod: ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>",
      Age: age,
      MissingPL: ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
    }),
    // the first FlowSchema that matches a request decides, so rows are sorted by precedence
    compare: (a, b) => precedence(a) - precedence(b) || byName(a, b),
  },
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": table<PriorityLevelConfiguration>({
    Name: name,
    Type: ({ spec }) => spec?.type ?? "",
    NominalConcurrencyShares: ({ spec }) => (spec?.limited ? (spec.limited.nominalConcurrencyShares ?? 0) : "<none>"),
    Queues: queuing("queues"),
    HandSize: queuing("handSize"),
    QueueLengthLimit: queuing("queueLengthLimit"),
    Age: age,
  }),
  "resource.k8s.io/DeviceClass": nameAndAge,
  "resource.k8s.io/ResourceClaimTemplate": nameAndAge,
  "resource.k8s.io/ResourceClaim": table<ResourceClaim>({ Name: name, State: claimState, Age: age }),
  "resource.k8s.io/ResourceSlice": table<ResourceSlice>({
    Name: name,
    Node: ({ spec }) => spec.nodeName ?? "",
    Driver: ({ spec }) => spec.driver,
    Pool: ({ spec }) => spec.pool.name,
    Age: age,
  }),
};
