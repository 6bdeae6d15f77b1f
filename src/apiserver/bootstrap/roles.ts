/**
 * The roles and bindings that every Kubernetes server has, from the generated table.
 *
 * The table: one object a line, its parts separated by tabs: kind, namespace, name, the roles that aggregate it. Then
 * for a role its rules, each `groups resources verbs names urls` (`-` is the core group), or `< names` for one that
 * aggregates others; for a binding the role and the subjects as `kind namespace name`.
 */
import { defined, unlessEmpty } from "../../base/defined.js";
import type { ClusterRole, ClusterRoleBinding, KubeObject, PolicyRule, Subject } from "../../api/index.js";
import { roleTable } from "../generated/roles.js";

const rbac = "rbac.authorization.k8s.io";

export function defaultRoles(): readonly KubeObject[] {
  return roleTable
    .split("\n")
    .filter((line) => line !== "")
    .map(readLine);
}

function readLine(line: string): KubeObject {
  const [kind = "", namespace = "", name = "", addedTo = "", ...rest] = line.split("\t");
  const added = addedTo === "" ? [] : addedTo.split(",").map((role) => [`${rbac}/aggregate-to-${role}`, "true"]);
  const head = {
    apiVersion: `${rbac}/v1`,
    kind,
    metadata: {
      name,
      ...defined({ namespace: namespace || undefined }),
      labels: {
        "kubernetes.io/bootstrapping": "rbac-defaults",
        ...(Object.fromEntries(added) as Record<string, string>),
      },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    },
  };
  return { ...head, ...(kind.endsWith("Binding") ? readBinding(rest) : readRole(rest)) };
}

function readRole([first = "", ...others]: readonly string[]): Partial<ClusterRole> {
  if (!first.startsWith("< ")) return { rules: [first, ...others].filter((text) => text !== "").map(readRule) };
  const names = first.slice(2).split(",");
  return {
    aggregationRule: {
      clusterRoleSelectors: names.map((name) => ({ matchLabels: { [`${rbac}/aggregate-to-${name}`]: "true" } })),
    },
  };
}

function readRule(text: string): PolicyRule {
  const [groups, resources, verbs, names, urls] = text
    .split(" ")
    .map((part) => (part === "" ? undefined : part.split(",")));
  return {
    verbs: verbs ?? [],
    ...(groups ? { apiGroups: groups.map((group) => (group === "-" ? "" : group)) } : {}),
    ...defined({ resources, resourceNames: names, nonResourceURLs: urls }),
  };
}

function readBinding([role = "", ...whom]: readonly string[]): Partial<ClusterRoleBinding> {
  const [kind = "", name = ""] = role.split(" ");
  const subjects = whom.map((text): Subject => {
    const [subject = "", namespace = "", named = ""] = text.split(" ");
    if (subject === "ServiceAccount") return { kind: subject, name: named, namespace };
    return { kind: subject, apiGroup: rbac, name: named };
  });
  return { roleRef: { apiGroup: rbac, kind, name }, ...defined({ subjects: unlessEmpty(subjects) }) };
}
