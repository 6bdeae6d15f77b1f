/** The cluster role aggregation controller: a ClusterRole that selects other ClusterRoles by their labels gets their rules. */
import { ClusterRole, deepEqual, type PolicyRule } from "../../api/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { validSelector } from "../kit/selector.js";
import { byName } from "../../api/meta/key.js";

const fieldManager = "clusterrole-aggregation-controller";

/**
 * The rules of all other roles that the selectors match: selector by selector, in the order of the roles' names, each
 * rule once.
 */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): readonly PolicyRule[] {
  const others = roles.filter(({ metadata }) => metadata.name !== role.metadata.name).toSorted(byName);
  const rules = new Map<string, PolicyRule>();
  for (const selector of (role.aggregationRule?.clusterRoleSelectors ?? []).map(validSelector)) {
    for (const one of others) {
      if (!selector?.matches(one.metadata.labels)) continue;
      for (const rule of one.rules ?? []) {
        const id = contentOf(rule);
        if (!rules.has(id)) rules.set(id, rule);
      }
    }
  }
  return [...rules.values()];
}

/** A text that is the same for rules with the same meaning: an empty list, null and an absent list are equal. */
function contentOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((items) => items ?? []));
}

/** The parts of a role that decide aggregation: its rules and labels for other roles, and its own aggregation rule. */
const relevantOf = ({ rules, aggregationRule, metadata }: ClusterRole): object => ({
  rules,
  aggregationRule,
  labels: metadata.labels,
});

export function clusterRoleAggregationController(context: ControllerContext): BuiltInController {
  const roles = context.informers.informer(ClusterRole);
  const loop = objectLoop(context, roles, {
    name: "ClusterRoleAggregator",
    workers: 5,
    async sync(role, { key: name, client }) {
      if (role.aggregationRule === undefined) return;
      const rules = aggregatedRules(role, roles.indexer.list());
      if (deepEqual(rules, role.rules ?? [])) return;
      await client.resource(ClusterRole).apply({ metadata: { name }, rules }, { fieldManager, force: true });
    },
  });
  loop.watch(roles, (change, wake) => {
    if (change.type === "resync") return;
    if (change.type === "updated" && deepEqual(relevantOf(change.previous), relevantOf(change.object))) return;
    for (const role of roles.indexer.list()) if (role.aggregationRule !== undefined) wake(role.metadata.name);
  });
  return { loops: [loop] };
}
