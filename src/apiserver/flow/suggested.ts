/** The flow schemas and priority levels that every Kubernetes server has: mandatory and suggested ones. */
import { defined } from "../../base/defined.js";
import { lookup } from "../../base/members.js";
import type { FlowSchema, KubeObject, PriorityLevelConfiguration } from "../../api/index.js";
import { mastersGroup } from "../contracts/user.js";

const apiVersion = "flowcontrol.apiserver.k8s.io/v1";

type Shares = readonly [shares: number, lendable: number, queues?: readonly [queues: number, handSize: number]];

const levels: Readonly<Record<string, Shares>> = lookup({
  "node-high": [40, 25, [64, 6]],
  system: [30, 33, [64, 6]],
  "leader-election": [10, 0, [16, 4]],
  "workload-high": [40, 50, [128, 6]],
  "workload-low": [100, 90, [128, 6]],
  "global-default": [20, 50, [128, 6]],
  "catch-all": [5, 0],
});

type Subject = NonNullable<NonNullable<FlowSchema["spec"]>["rules"]>[number]["subjects"][number];
type Rules = Omit<NonNullable<NonNullable<FlowSchema["spec"]>["rules"]>[number], "subjects">;

const group = (name: string): Subject => ({ kind: "Group", group: { name } });
const user = (name: string): Subject => ({ kind: "User", user: { name } });
const systemAccounts: Subject = { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } };
const everybody = [group("system:unauthenticated"), group("system:authenticated")];

const everything: Rules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

interface Schema {
  readonly level: string;
  readonly precedence: number;
  readonly by?: "ByUser" | "ByNamespace";
  readonly subjects: readonly Subject[];
  readonly rules?: Rules;
}

const schemas: Readonly<Record<string, Schema>> = lookup({
  exempt: { level: "exempt", precedence: 1, subjects: [group(mastersGroup)] },
  probes: {
    level: "exempt",
    precedence: 2,
    subjects: everybody,
    rules: { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] },
  },
  "system-leader-election": {
    level: "leader-election",
    precedence: 100,
    by: "ByUser",
    subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler"), systemAccounts],
    rules: {
      resourceRules: [
        {
          verbs: ["get", "create", "update"],
          apiGroups: ["coordination.k8s.io"],
          resources: ["leases"],
          namespaces: ["*"],
        },
      ],
    },
  },
  "system-node-high": {
    level: "node-high",
    precedence: 400,
    by: "ByUser",
    subjects: [group("system:nodes")],
    rules: {
      resourceRules: [
        {
          verbs: ["*"],
          apiGroups: [""],
          resources: ["nodes", "nodes/status"],
          clusterScope: true,
          namespaces: ["*"],
        },
        { verbs: ["*"], apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: ["*"] },
      ],
    },
  },
  "system-nodes": { level: "system", precedence: 500, by: "ByUser", subjects: [group("system:nodes")] },
  "kube-controller-manager": {
    level: "workload-high",
    precedence: 800,
    by: "ByNamespace",
    subjects: [user("system:kube-controller-manager")],
  },
  "kube-scheduler": {
    level: "workload-high",
    precedence: 800,
    by: "ByNamespace",
    subjects: [user("system:kube-scheduler")],
  },
  "kube-system-service-accounts": {
    level: "workload-high",
    precedence: 900,
    by: "ByNamespace",
    subjects: [systemAccounts],
  },
  "service-accounts": {
    level: "workload-low",
    precedence: 9000,
    by: "ByUser",
    subjects: [group("system:serviceaccounts")],
  },
  "global-default": { level: "global-default", precedence: 9900, by: "ByUser", subjects: everybody },
  "catch-all": { level: "catch-all", precedence: 10_000, by: "ByUser", subjects: everybody },
});

/** Whether the server keeps the object's specification as it is here, unless an administrator has set it to "false". */
export const autoUpdate = "apf.kubernetes.io/autoupdate-spec";

const metadata = (name: string): KubeObject["metadata"] => ({
  name,
  annotations: { [autoUpdate]: "true" },
});

function levelOf(name: string, [shares, lendable, queues]: Shares): PriorityLevelConfiguration {
  const limitResponse =
    queues === undefined
      ? ({ type: "Reject" } as const)
      : ({ type: "Queue", queuing: { queues: queues[0], handSize: queues[1], queueLengthLimit: 50 } } as const);
  const limited = { nominalConcurrencyShares: shares, limitResponse, lendablePercent: lendable };
  return {
    apiVersion,
    kind: "PriorityLevelConfiguration",
    metadata: metadata(name),
    spec: { type: "Limited", limited },
  };
}

function schemaOf(name: string, { level, precedence, by, subjects, rules = everything }: Schema): FlowSchema {
  return {
    apiVersion,
    kind: "FlowSchema",
    metadata: metadata(name),
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...defined({ distinguisherMethod: by && { type: by } }),
      rules: [{ subjects, ...rules }],
    },
  };
}

const exempt: PriorityLevelConfiguration = {
  apiVersion,
  kind: "PriorityLevelConfiguration",
  metadata: metadata("exempt"),
  spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
};

export const suggested: {
  readonly levels: readonly PriorityLevelConfiguration[];
  readonly schemas: readonly FlowSchema[];
} = {
  levels: [exempt, ...Object.entries(levels).map(([name, shares]) => levelOf(name, shares))],
  schemas: Object.entries(schemas).map(([name, schema]) => schemaOf(name, schema)),
};

const isMandatory = ({ metadata: { name } }: KubeObject): boolean => name === "exempt" || name === "catch-all";

/** The objects that have their effect even while they do not exist. */
export const mandatory: typeof suggested = {
  levels: suggested.levels.filter(isMandatory),
  schemas: suggested.schemas.filter(isMandatory),
};
