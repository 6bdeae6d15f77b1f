import { expect, test } from "vitest";
import type { ClusterRole, PolicyRule } from "../../api/index.js";
import { aggregatedRules } from "./index.js";

const reads = (resource: string): PolicyRule => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });

const roleOf = (name: string, labels: Readonly<Record<string, string>>, rules: readonly PolicyRule[]): ClusterRole => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name, labels },
  rules,
});

test("an aggregating role has the rules of those that it names, in the order of their names, each once, and not its own", () => {
  const selectors = [{ matchLabels: { to: "view" } }, { matchLabels: { also: "yes" } }];
  const view: ClusterRole = {
    ...roleOf("view", { to: "view" }, [reads("stale")]),
    aggregationRule: { clusterRoleSelectors: selectors },
  };
  const roles = [
    view,
    roleOf("z", { to: "view" }, [reads("pods")]),
    roleOf("a", { also: "yes" }, [reads("nodes"), reads("pods")]),
    roleOf("b", { to: "edit" }, [reads("secrets")]),
  ];
  expect(aggregatedRules(view, roles)).toEqual([reads("nodes"), reads("pods")]);
});
