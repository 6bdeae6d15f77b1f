/** Tables of kinds that configure the API itself: roles, webhooks, policies, certificates, flow control, device classes. */
import type {
  APIService,
  CertificateSigningRequest,
  ClusterRoleBinding,
  DeviceClass,
  FlowSchema,
  KubeObject,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  PriorityLevelConfiguration,
  ResourceClaim,
  ResourceSlice,
  ValidatingAdmissionPolicy,
} from "../../api/index.js";
import type { TableRenderer } from "../contracts/table.js";
import { humanDuration } from "./human.js";
import { table } from "./kind-table.js";

/** The table of RoleBinding and ClusterRoleBinding. */
export const roleBindingTable: TableRenderer = table<ClusterRoleBinding>(
  ["Name", "Role", "Age", "Users*", "Groups*", "ServiceAccounts*"],
  ({ metadata, roleRef, subjects = [] }, { age }) => {
    const names = (kind: string): string =>
      subjects
        .filter((subject) => subject.kind === kind)
        .map(({ namespace, name }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
        .join(", ");
    return [
      metadata.name,
      `${roleRef.kind}/${roleRef.name}`,
      age,
      names("User"),
      names("Group"),
      names("ServiceAccount"),
    ];
  },
);

/** The table of both kinds of webhook configurations. */
export const webhookConfigurationTable: TableRenderer = table<MutatingWebhookConfiguration>(
  ["Name", "Webhooks:integer", "Age"],
  ({ metadata, webhooks }, { age }) => [metadata.name, webhooks?.length ?? 0, age],
);

interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

function paramKind(kind: ParamKind | undefined): string {
  return kind ? `${kind.apiVersion ?? ""}/${kind.kind ?? ""}` : "<unset>";
}

export const validatingPolicyTable: TableRenderer = table<ValidatingAdmissionPolicy>(
  ["Name", "Validations:integer", "ParamKind", "Age"],
  ({ metadata, spec }, { age }) => [metadata.name, spec?.validations?.length ?? 0, paramKind(spec?.paramKind), age],
);

export const mutatingPolicyTable: TableRenderer = table<MutatingAdmissionPolicy>(
  ["Name", "Mutations:integer", "ParamKind", "Age"],
  ({ metadata, spec }, { age }) => [metadata.name, spec?.mutations?.length ?? 0, paramKind(spec?.paramKind), age],
);

/** The table of both kinds of policy bindings. */
export const policyBindingTable: TableRenderer = table<MutatingAdmissionPolicyBinding>(
  ["Name", "PolicyName", "ParamRef", "Age"],
  ({ metadata, spec }, { age }) => {
    const { name, namespace } = spec?.paramRef ?? {};
    // the table cannot tell whether the parameter's kind is namespaced
    return [metadata.name, spec?.policyName ?? "", name ? `${namespace || "*"}/${name}` : "<unset>", age];
  },
);

export const certificateSigningRequestTable: TableRenderer = table<CertificateSigningRequest>(
  ["Name", "Age", "SignerName", "Requestor", "RequestedDuration", "Condition"],
  (request, { age }) => [
    request.metadata.name,
    age,
    request.spec.signerName || "<none>",
    request.spec.username ?? "",
    request.spec.expirationSeconds === undefined ? "<none>" : humanDuration(request.spec.expirationSeconds * 1000),
    requestCondition(request),
  ],
);

function requestCondition({ status }: CertificateSigningRequest): string {
  const has = (wanted: string): boolean => status?.conditions?.some(({ type }) => type === wanted) ?? false;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

export const apiServiceTable: TableRenderer = table<APIService>(
  ["Name", "Service", "Available", "Age"],
  ({ metadata, spec, status }, { age }) => {
    const available = status?.conditions?.find(({ type }) => type === "Available");
    const why = available?.status === "True" || available === undefined ? "" : ` (${available.reason})`;
    const { namespace, name } = spec?.service ?? {};
    return [
      metadata.name,
      spec?.service ? `${namespace}/${name}` : "Local",
      available === undefined ? "Unknown" : `${available.status}${why}`,
      age,
    ];
  },
);

const flowSchemaCells: TableRenderer = table<FlowSchema>(
  ["Name", "PriorityLevel", "MatchingPrecedence", "DistinguisherMethod", "Age", "MissingPL"],
  ({ metadata, spec, status }, { age }) => [
    metadata.name,
    spec?.priorityLevelConfiguration.name ?? "",
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? "<none>",
    age,
    status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
  ],
);

/** The first FlowSchema that matches a request decides, so rows are sorted by precedence. */
export const flowSchemaTable: TableRenderer = {
  ...flowSchemaCells,
  compare(a, b) {
    const precedence = (object: KubeObject): number => (object as FlowSchema).spec?.matchingPrecedence ?? 0;
    return precedence(a) - precedence(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
  },
};

export const priorityLevelTable: TableRenderer = table<PriorityLevelConfiguration>(
  ["Name", "Type", "NominalConcurrencyShares", "Queues", "HandSize", "QueueLengthLimit", "Age"],
  ({ metadata, spec }, { age }) => {
    const queuing = spec?.limited?.limitResponse?.queuing;
    const numbers = queuing && [queuing.queues ?? 0, queuing.handSize ?? 0, queuing.queueLengthLimit ?? 0];
    return [
      metadata.name,
      spec?.type ?? "",
      spec?.limited ? (spec.limited.nominalConcurrencyShares ?? 0) : "<none>",
      ...(numbers ?? ["<none>", "<none>", "<none>"]),
      age,
    ];
  },
);

/** The table of device classes and claim templates. */
export const nameAndAgeTable: TableRenderer = table<DeviceClass>(["Name", "Age"], ({ metadata }, { age }) => [
  metadata.name,
  age,
]);

export const resourceClaimTable: TableRenderer = table<ResourceClaim>(
  ["Name", "State", "Age"],
  ({ metadata, status }, { age }) => {
    const deleted = metadata.deletionTimestamp !== undefined;
    const states = deleted ? ["deleted"] : [];
    if (status?.allocation) states.push("allocated", ...(status.reservedFor?.length ? ["reserved"] : []));
    else if (!deleted) states.push("pending");
    return [metadata.name, states.join(","), age];
  },
);

export const resourceSliceTable: TableRenderer = table<ResourceSlice>(
  ["Name", "Node", "Driver", "Pool", "Age"],
  ({ metadata, spec }, { age }) => [metadata.name, spec.nodeName ?? "", spec.driver, spec.pool.name, age],
);
