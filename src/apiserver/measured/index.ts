/** measured: gives the groups whose resources are measured when they are asked for: metrics.k8s.io and its siblings. */
import type { Endpoint } from "../contracts/endpoint.js";
import type { FieldManager } from "../contracts/field-manager.js";
import type { ServedGroup } from "../contracts/served.js";
import type { GroupRoute, OwnVerbs } from "../http/route.js";
import type { Registry } from "../registry/registry.js";
import { usageSchemas } from "./schemas.js";
import { usageEndpoints, usageGroup, type UsageSource, usageVerbs } from "./usage.js";
import { valueGroups, valueRoutes } from "./value-routes.js";
import type { MetricValues } from "./values.js";

export interface MeasuredOptions {
  /** Serves metrics.k8s.io. */
  readonly usage: UsageSource | undefined;
  /** Serves custom.metrics.k8s.io and external.metrics.k8s.io. */
  readonly values: MetricValues | undefined;
  readonly fieldManager: FieldManager;
}

export interface Measured {
  readonly groups: readonly ServedGroup[];
  readonly endpoints: readonly Endpoint[];
  readonly verbs: OwnVerbs;
  readonly routes: ReadonlyMap<string, GroupRoute>;
  schema(group: string, plural: string): Readonly<Record<string, unknown>> | undefined;
  /** Keeps the registry's groups those of the present metrics, until it is disposed. */
  follow(registry: Registry): Disposable;
}

export function measuredGroups({ usage, values, fieldManager }: MeasuredOptions): Measured {
  return {
    groups: usage === undefined ? [] : [usageGroup],
    endpoints: usage === undefined ? [] : usageEndpoints(fieldManager),
    verbs: usage === undefined ? new Map() : usageVerbs(usage),
    routes: values === undefined ? new Map() : valueRoutes(values),
    schema: (group, plural) => (group === usageGroup.group ? usageSchemas[plural] : undefined),
    follow(registry) {
      if (values === undefined) return { [Symbol.dispose]: () => {} };
      const list = (): void => registry.setMeasured(valueGroups(values));
      list();
      return values.follow(list);
    },
  };
}
