/** The device taint eviction controller: deletes pods whose devices have NoExecute taints that their claims do not tolerate. */
import { formatTime, isDeleting, metaNamespaceKey, Pod, ResourceClaim, ResourceSlice } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { KeyLoop, KeyRun, SyncResult } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import { indexByDeviceClaim, podKeysOfDeviceClaim } from "../../placement/device-claims.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { evict } from "../pods/evict.js";
import { evictionTime } from "./plan.js";

const claimsInPool = "allocated-claims-in-pool";
const slicesOfPool = "slices-by-pool";
const poolKey = (driver: string, pool: string): string => `${driver}/${pool}`;
const reason = "DeviceTaintManagerEviction";

export class DeviceTaintEviction implements BuiltInController {
  readonly loops: readonly KeyLoop[];
  readonly #context: ControllerContext;
  readonly #pods: FactoryInformer<Pod>;
  readonly #claims: FactoryInformer<ResourceClaim>;
  readonly #slices: FactoryInformer<ResourceSlice>;
  readonly #recorder: Recorder;
  /** The uids of pods that are to go later, by their keys; forgotten when they go or may stay. */
  readonly #planned = new Map<string, string>();
  /** The uids of pods that were deleted, by their keys, until they are gone: each is deleted once. */
  readonly #evicted = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = context.informers.informer(Pod);
    this.#claims = context.informers.informer(ResourceClaim);
    this.#slices = context.informers.informer(ResourceSlice);
    this.#recorder = context.recorderFor("device-taint-eviction-controller");
    indexByDeviceClaim(this.#pods);
    this.#claims.addIndexers({
      [claimsInPool]: ({ status }) => {
        const results = status?.allocation?.devices?.results ?? [];
        return [...new Set(results.map(({ driver, pool }) => poolKey(driver, pool)))];
      },
    });
    this.#slices.addIndexers({ [slicesOfPool]: ({ spec }) => [poolKey(spec.driver, spec.pool.name)] });
    const sync = (pod: Pod, run: KeyRun) => this.#sync(pod, run);
    const loop = objectLoop(context, this.#pods, { name: "device_taint_eviction", workers: 8, sync });
    this.loops = [loop];
    const wakePods = (claim: string, wake: (key: string) => void): void => {
      for (const key of podKeysOfDeviceClaim(this.#pods.indexer, claim)) wake(key);
    };
    loop.watch(this.#pods, ({ type, object }, wake) => {
      if (type === "deleted") {
        this.#planned.delete(metaNamespaceKey(object));
        this.#evicted.delete(metaNamespaceKey(object));
      } else if (type !== "resync" && object.spec?.nodeName && (object.spec.resourceClaims ?? []).length > 0) {
        wake(metaNamespaceKey(object));
      }
    });
    loop.watch(this.#claims, ({ object }, wake) => wakePods(metaNamespaceKey(object), wake));
    loop.watch(this.#slices, ({ type, object: { spec } }, wake) => {
      if (type === "resync") return;
      const claims = this.#claims.indexer.indexKeys(claimsInPool, poolKey(spec.driver, spec.pool.name));
      for (const claim of claims) wakePods(claim, wake);
    });
  }

  async #sync(pod: Pod, { key, client }: KeyRun): Promise<SyncResult | void> {
    if (isDeleting(pod)) return undefined;
    if (this.#evicted.get(key) === (pod.metadata.uid ?? "")) return undefined;
    const dueAt = evictionTime(pod, {
      claim: (claim) => this.#claims.indexer.get(claim),
      slicesOf: (driver, pool) => this.#slices.indexer.byIndex(slicesOfPool, poolKey(driver, pool)),
    });
    if (dueAt === undefined) {
      this.#cancel(pod);
      return undefined;
    }
    const left = dueAt - this.#context.clock.now();
    if (left > 0) {
      this.#planned.set(key, pod.metadata.uid ?? "");
      return { requeueAfterMs: left };
    }
    await this.#evict(pod, client);
    this.#planned.delete(key);
    if (this.#pods.indexer.has(key)) this.#evicted.set(key, pod.metadata.uid ?? "");
    return undefined;
  }

  /** Drops the pod's planned deletion, and records that. */
  #cancel(pod: Pod): void {
    const key = metaNamespaceKey(pod);
    const planned = this.#planned.get(key);
    this.#planned.delete(key);
    if (planned === pod.metadata.uid) this.#recorder.normal(pod, reason, "Cancelling deletion");
  }

  async #evict(pod: Pod, client: WorkClient): Promise<void> {
    this.#recorder.normal(pod, reason, "Marking for deletion");
    const why = {
      reason: "DeletionByDeviceTaintManager",
      message: "Device Taint manager: deleting due to NoExecute taint",
      lastTransitionTime: formatTime(this.#context.clock.now()),
    };
    await evict(pod, why, client);
  }
}
