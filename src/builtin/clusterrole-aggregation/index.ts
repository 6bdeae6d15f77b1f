/** The cluster role aggregation controller: a ClusterRole that names others by their labels gets their rules. */
import { ClusterRole, deepEqual, type PolicyRule } from "../../api/index.js";
import { deletedObject } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { KeyLoop } from "../kit/key-loop.js";
import { validSelector } from "../kit/selector.js";

const fieldManager = "clusterrole-aggregation-controller";

export const clusterRoleAggregationController: ControllerDescriptor = {
  name: fieldManager,
  aliases: ["clusterrole-aggregation"],
  create: createAggregation,
};

/** The rules of all other roles that the selectors name, one selector after the other, by the roles' names, each rule once. */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): readonly PolicyRule[] {
  const others = roles
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
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

/** The same text for rules that say the same: a list that is empty, null or absent is one. */
function contentOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((items) => items ?? []));
}

/** The parts of a role that decide aggregation: its rules and labels for other roles, and its own aggregation rule. */
const relevantOf = ({ rules, aggregationRule, metadata }: ClusterRole): object => ({
  rules,
  aggregationRule,
  labels: metadata.labels,
});

function createAggregation(context: ControllerContext): BuiltInController {
  const { client, informers } = context;
  const roles = informers.informer(ClusterRole);
  const loop = new KeyLoop({
    context,
    name: "ClusterRoleAggregator",
    workers: 5,
    async sync(name, { signal }) {
      const role = roles.indexer.get(name);
      if (role?.aggregationRule === undefined) return;
      const rules = aggregatedRules(role, roles.indexer.list());
      if (deepEqual(rules, role.rules ?? [])) return;
      await client.resource(ClusterRole).apply({ metadata: { name }, rules }, { fieldManager, force: true, signal });
    },
  });
  const wake = (changed: ClusterRole | undefined): void => {
    if (changed === undefined) return;
    for (const role of roles.indexer.list()) if (role.aggregationRule !== undefined) loop.enqueue(role);
  };
  roles.addEventHandler({
    onAdd: wake,
    onUpdate: (previous, role) => {
      if (!deepEqual(relevantOf(previous), relevantOf(role))) wake(role);
    },
    onDelete: (gone) => wake(deletedObject(gone)),
  });
  return loop;
}
