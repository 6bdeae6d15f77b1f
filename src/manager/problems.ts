/** Explains why a manager is not ready, and what to do about it. */
import { LeaseCandidate } from "../api/generated/coordination-v1beta1.js";
import { isForbidden, Lease, type ResourceType } from "../api/index.js";
import { messageOf, type MetricsRegistry } from "../base/index.js";
import type { ControllerSnapshot, MissingPermission } from "../controller/index.js";
import type { Cluster } from "./cluster.js";
import type { LeaderElector } from "./leader-election/index.js";
import { candidateVerbs, groupVerbs, leaseVerbs, missingRule } from "./needs/rbac.js";
import type { Sharder } from "./sharding/index.js";
import type { WebhookHost } from "../webhook/index.js";

/** The verb, API group and resource of a permission. */
export type PermissionUse = Pick<MissingPermission, "verb" | "group" | "resource">;

/**
 * The problems of a controller that cannot do all of its work: a run that does not end holds a worker, or a write is
 * not allowed.
 */
export function controllerProblems({ name, concurrency, overdue, missingPermissions }: ControllerSnapshot): string[] {
  const [longest] = overdue;
  const stuck =
    longest === undefined
      ? []
      : [
          `controller ${name} is stuck: ${longest.key} has been reconciling for ${Math.round(longest.runningMs / 1000)} s, longer than it may, ` +
            `and does not heed its signal; ${overdue.length} of ${concurrency} workers are held so`,
        ];
  return [...stuck, ...missingPermissions.map((missing) => permissionProblem(`controller ${name}`, missing))];
}

/** A permission that the server refused, and the rule that would grant it. */
export function permissionProblem(who: string, { verb, group, resource, message }: MissingPermission): string {
  const rule = missingRule({ group, plural: resource }, [verb]);
  return `${who} is not allowed to ${verb} ${resource}; missing RBAC rule: ${rule} (${message})`;
}

/** A process that cannot ask for the lease will never lead; this is a problem even if another process leads. */
export function leaseProblems(elector: LeaderElector | undefined): string[] {
  if (elector === undefined) return [];
  const { failure, candidacyFailure, lease } = elector;
  const told = (what: string, error: unknown, rule: string): string[] => {
    if (error === undefined) return [];
    return [`${what}${isForbidden(error) ? `; missing RBAC rule: ${rule}` : ""} (${messageOf(error)})`];
  };
  const name = `the lease ${lease.namespace}/${lease.name}`;
  return [
    ...told(`${name} cannot be acquired or renewed`, failure, missingRule(Lease, leaseVerbs)),
    ...told(`no candidate for ${name} can be kept`, candidacyFailure, missingRule(LeaseCandidate, candidateVerbs)),
  ];
}

/** A process that cannot keep its Lease, or read those of the others, reconciles nothing. */
export function shardProblems(sharder: Sharder | undefined): string[] {
  if (sharder?.failure === undefined) return [];
  const { namespace, name } = sharder.lease;
  const rule = isForbidden(sharder.failure) ? `; missing RBAC rule: ${missingRule(Lease, groupVerbs)}` : "";
  return [
    `the leases of the group ${namespace}/${name} cannot be read or written${rule} (${messageOf(sharder.failure)})`,
  ];
}

/**
 * The problems of a replica to which its Service should send no reviews; undefined if there are no webhooks. The cache of
 * a kind that this program converts is not among them: the server fills it with the answers of a ready replica, and each
 * would wait for the other.
 */
export function reviewProblems(webhooks: WebhookHost | undefined, own: Cluster): readonly string[] | undefined {
  if (webhooks?.isNeeded !== true) return undefined;
  return [...[webhooks.problem() ?? []].flat(), ...own.unfilled((type) => webhooks.isConverting(type))];
}

/** The missing permissions of controllers' writes, of lists and watches, and of the lease. */
export function missingPermissions(
  controllers: readonly ControllerSnapshot[],
  clusters: readonly Cluster[],
  leases: readonly { readonly error: unknown; readonly type: Pick<ResourceType, "group" | "plural"> }[],
): readonly PermissionUse[] {
  const unwatched = clusters.flatMap((cluster) => cluster.forbidden());
  return [
    ...controllers.flatMap((controller) => controller.missingPermissions),
    ...unwatched.map((type) => ({ verb: "watch", group: type.group, resource: type.plural })),
    ...leases.flatMap(({ error, type: { group, plural } }) =>
      isForbidden(error) ? [{ verb: "update", group, resource: plural }] : [],
    ),
  ];
}

/** Exposes one series for each permission that was found missing; it becomes 0 when the permission is granted. */
export function reportPermissions(metrics: MetricsRegistry, missing: () => readonly PermissionUse[]): void {
  const gauge = metrics.gauge({
    name: "coxswain_missing_permissions",
    help: "1 if the server refused this for want of a permission, 0 if it does so no longer",
    labels: ["verb", "group", "resource"],
  });
  const known = new Map<string, PermissionUse>();
  metrics.beforeExpose(() => {
    for (const { verb, group, resource } of known.values()) gauge.with({ verb, group, resource }).set(0);
    for (const { verb, group, resource } of missing()) {
      known.set(`${verb} ${resource} ${group}`, { verb, group, resource });
      gauge.with({ verb, group, resource }).set(1);
    }
  });
}
