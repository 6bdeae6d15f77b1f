/**
 * Creates the further objects that users find on every server, soon after the start, and keeps them in step with the
 * custom kinds.
 */
import { formatTime } from "../../api/index.js";
import { hostname } from "node:os";
import { cooperative, type Logger } from "../../base/index.js";
import { type CustomKinds, definitions } from "../crd/custom-kinds.js";
import type { Registry } from "../registry/registry.js";
import type { Machinery, RequestScope } from "../contracts/scope.js";
import { collection as apiServices, followServices, localServices } from "./api-services.js";
import { ensure, serverScope, type SystemObject, systemObject } from "./bootstrap.js";
import { flowControl, FlowUpkeep } from "./flow-control.js";
import { startIdentityLease } from "./identity-lease.js";
import { publishOwnService, type Reached } from "./own-service.js";
import { defaultRoles } from "./roles.js";

export interface SystemOptions {
  readonly machinery: Machinery;
  readonly registry: Registry;
  readonly customKinds: CustomKinds;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly components: readonly Component[];
  /** Work that somebody waits for, if there is any: it goes first. */
  urgent(): Promise<unknown> | undefined;
}

/** Components of a control plane with a ComponentStatus. */
export type Component = "scheduler" | "controller-manager";

/** Disposing waits for work under way, which ends soon after `stopping` has aborted. */
export interface SystemObjects extends AsyncDisposable {
  /** Resolves when all of them have been written, or could not be. */
  readonly made: Promise<void>;
  /** Tells that the server can be reached here from now on. */
  reached(where: Reached): Promise<void>;
}

/** Runs in the background: no client waits for these objects, and the administrator needs none of them. */
export function startSystemObjects(options: SystemOptions): SystemObjects {
  const { machinery, registry, customKinds, log, stopping } = options;
  const { store } = machinery;
  const scope = serverScope(machinery, stopping);
  const failed = (error: unknown): void => {
    if (!stopping.aborted) log.error("a system object was not written", { error });
  };
  const made = makeAll(options, scope).catch(failed);
  let work = made;
  const upkeep = new FlowUpkeep({ registry, scope, log });
  void made.then(() => upkeep.maintain());
  const identity = startIdentityLease({ registry, scope, log, hostname: hostname() });
  const follow = async (): Promise<void> => {
    await customKinds.sync();
    if (!stopping.aborted) await followServices(registry, scope);
  };
  const followSoon = (): void => {
    work = work.then(follow).catch(failed);
  };
  const after = store.revision;
  const watching = [
    store.watch({ collection: definitions, prefix: "", after }, followSoon),
    // the APIService of a group that this server answers for comes back when it is deleted
    store.watch({ collection: apiServices, prefix: "", after }, (events) => {
      if (events.some(({ current }) => current === undefined)) followSoon();
    }),
  ];
  return {
    made,
    reached: (where) => publishOwnService(registry, scope, where).catch(failed),
    async [Symbol.asyncDispose]() {
      for (const watch of watching) watch[Symbol.dispose]();
      await work;
      await identity.close();
      await upkeep[Symbol.asyncDispose]();
    },
  };
}

/** A few objects at a time, and none while urgent work is under way. */
async function makeAll({ registry, urgent, components }: SystemOptions, scope: RequestScope): Promise<void> {
  const { clock } = scope.machinery;
  const slice = cooperative({ clock, sliceMs: 1 });
  await slice.pause();
  const now = formatTime(clock.now());
  const objects = [
    ...localServices(registry),
    ...flowControl(now),
    tokenTracking(now),
    ...componentStatuses(components),
    ...defaultRoles().map((object) => ({ object, manager: "kube-apiserver" })),
  ];
  for (const object of objects) {
    await urgent()?.catch(() => {});
    if (scope.signal.aborted) return;
    await ensure(registry, scope, object);
    if (slice.due()) await slice.pause();
  }
}

/** A real server probes its components on each request; here it is known from the start which ones run in this process. */
function componentStatuses(running: readonly Component[]): readonly SystemObject[] {
  const all = ["etcd-0", "scheduler", "controller-manager"] as const;
  return all.map((name) => {
    const healthy = name === "etcd-0" || running.includes(name);
    const message = healthy ? "ok" : "not run by the process of the API server";
    const conditions = [{ type: "Healthy", status: healthy ? "True" : "False", message }];
    return { object: systemObject("v1", "ComponentStatus", name, { conditions }), manager: "kube-apiserver" };
  });
}

/** The ConfigMap with the start of legacy token tracking; this server issues no legacy tokens. */
function tokenTracking(now: string): SystemObject {
  const name = "kube-system/kube-apiserver-legacy-service-account-token-tracking";
  return {
    object: systemObject("v1", "ConfigMap", name, { data: { since: now.slice(0, 10) } }),
    manager: "kube-apiserver",
  };
}
