import { expect, test } from "vitest";
import { patienceMs } from "../../../test/eventually.js";
import { ClusterRole, type PolicyRule } from "../../api/index.js";
import { startCluster } from "../../testing/cluster.js";
import { aggregatedRules } from "./controller.js";

const reads = (resource: string): PolicyRule => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });

const roleOf = (name: string, labels: Readonly<Record<string, string>>, rules: readonly PolicyRule[]): ClusterRole => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name, labels },
  rules,
});

test("an aggregating role has the rules of those that it names, by selectors and then by names, each once, and not its own", () => {
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
  expect(aggregatedRules(view, roles)).toEqual([reads("pods"), reads("nodes")]);
});

test("a role follows its own rule of aggregation when that changes", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["clusterrole-aggregation"] });
  const roles = cluster.client.resource(ClusterRole);
  const selecting = (to: string): Readonly<Record<string, unknown>> => ({
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to } }] },
  });
  await roles.create(roleOf("reads-pods", { to: "pods" }, [reads("pods")]));
  await roles.create(roleOf("reads-nodes", { to: "nodes" }, [reads("nodes")]));
  await roles.create({ ...roleOf("view", {}, []), ...selecting("pods") });
  const resources = async (): Promise<unknown> => {
    await cluster.clock.advance(1000);
    return (await roles.get("view")).rules?.flatMap((rule) => rule.resources ?? []);
  };
  await expect.poll(resources, { timeout: patienceMs }).toEqual(["pods"]);
  await roles.patch("view", { merge: selecting("nodes") });
  await expect.poll(resources, { timeout: patienceMs }).toEqual(["nodes"]);
});
