/** What users find on every server besides: made soon after the start, and kept in step with the custom kinds. Started by the server. */
import { cooperative, type Logger } from "../../base/index.js";
import { type CustomKinds, definitions } from "../crd/custom-kinds.js";
import type { Registry } from "../registry/registry.js";
import { type Machinery, type RequestScope, timestamp } from "../registry/scope.js";
import { followServices, localServices } from "./api-services.js";
import { ensure, serverScope, type SystemObject, systemObject } from "./bootstrap.js";
import { flowControl } from "./flow-control.js";
import { publishOwnService, type Reached } from "./own-service.js";
import { defaultRoles } from "./roles.js";

export interface SystemOptions {
  readonly machinery: Machinery;
  readonly registry: Registry;
  readonly customKinds: CustomKinds;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly components: readonly Component[];
  /** What somebody waits for, if there is something: it goes first. */
  urgent(): Promise<unknown> | undefined;
}

/** Parts of a control plane of which a server says how they are. */
export type Component = "scheduler" | "controller-manager";

/** Disposing waits for what is under way, which ends soon once `stopping` has. */
export interface SystemObjects extends AsyncDisposable {
  /** The server is reached here from now on. */
  reached(where: Reached): Promise<void>;
}

/** Nobody waits for these: the administrator needs none of them, and others come later. */
export function startSystemObjects(options: SystemOptions): SystemObjects {
  const { machinery, registry, customKinds, log, stopping } = options;
  const { store } = machinery;
  const scope = serverScope(machinery, stopping);
  const failed = (error: unknown): void => {
    if (!stopping.aborted) log.error("a system object was not written", { error });
  };
  let work = makeAll(options, scope).catch(failed);
  const follow = async (): Promise<void> => {
    await customKinds.sync();
    if (!stopping.aborted) await followServices(registry, scope);
  };
  const watching = store.watch({ collection: definitions, prefix: "", after: store.revision }, () => {
    work = work.then(follow).catch(failed);
  });
  return {
    reached: (where) => publishOwnService(registry, scope, where).catch(failed),
    async [Symbol.asyncDispose]() {
      watching[Symbol.dispose]();
      await work;
    },
  };
}

/** A few at a time, and none while something urgent is under way. */
async function makeAll({ registry, urgent, components }: SystemOptions, scope: RequestScope): Promise<void> {
  const { clock } = scope.machinery;
  const slice = cooperative({ clock, sliceMs: 1 });
  await slice.pause();
  const now = timestamp(clock.now());
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

/** A real server asks around when it is asked; here it is known from the start who runs in the same process. */
function componentStatuses(running: readonly Component[]): readonly SystemObject[] {
  const all = ["etcd-0", "scheduler", "controller-manager"] as const;
  return all.map((name) => {
    const healthy = name === "etcd-0" || running.includes(name);
    const message = healthy ? "ok" : "not run by the process of the API server";
    const conditions = [{ type: "Healthy", status: healthy ? "True" : "False", message }];
    return { object: systemObject("v1", "ComponentStatus", name, { conditions }), manager: "kube-apiserver" };
  });
}

/** Since when tokens that nobody asked for are counted; there are none here. */
function tokenTracking(now: string): SystemObject {
  const name = "kube-system/kube-apiserver-legacy-service-account-token-tracking";
  return {
    object: systemObject("v1", "ConfigMap", name, { data: { since: now.slice(0, 10) } }),
    manager: "kube-apiserver",
  };
}
