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

/** The rules of all roles that one of the selectors names, by the roles' names, each rule once. */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): readonly PolicyRule[] {
  const selectors = (role.aggregationRule?.clusterRoleSelectors ?? []).map(validSelector);
  const named = roles
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .filter(({ metadata }) => selectors.some((selector) => selector?.matches(metadata.labels)))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const rule of named.flatMap((one) => one.rules ?? [])) {
    if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
  }
  return rules;
}

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
      if (!deepEqual(previous.rules, role.rules) || !deepEqual(previous.metadata.labels, role.metadata.labels))
        wake(role);
    },
    onDelete: (gone) => wake(deletedObject(gone)),
  });
  return loop;
}
