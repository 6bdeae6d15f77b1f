/** Watches StatefulSets and their pods, and syncs one set at a time: history, pods in order, status. */
import {
  ControllerRevision,
  isAlreadyExists,
  isConflict,
  metaNamespaceKey,
  PersistentVolumeClaim,
  Pod,
  type ResourceType,
  type Selector,
  StatefulSet,
} from "../../api/index.js";
import { unreachable } from "../../base/index.js";
import { retryOnConflict } from "../../client/index.js";
import { ConsistencyStore } from "../../controller/consistency.js";
import type { FactoryInformer, ReadonlyStore } from "../../informer/index.js";
import { templateIn } from "../history/revisions.js";
import type { BuiltInController, ControllerContext, InspectableQueue, Recorder } from "../kit/context.js";
import { claimable, indexByController } from "../kit/controller-index.js";
import { claimSelector } from "../kit/selector.js";
import { unlessNotFound } from "../kit/missing.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { ownedHandler } from "../kit/owned-handler.js";
import { adoptAndRelease } from "../ownership/adopt.js";
import { claim } from "../ownership/claim.js";
import { serverWords } from "../pods/pod-control.js";
import { slowStart } from "../pods/slow-start.js";
import { isReady, nextAvailabilityMs } from "../pods/state.js";
import { type ClaimKeeper, claimKeeper, type MemberPod } from "./claims.js";
import { constructHistory, type StatefulHistory, type StatefulHistoryOptions, truncateHistory } from "./history.js";
import { isMemberOf, ordinalOf, podNameOf, replicasOf, startOrdinal, statefulPod, withIdentity } from "./identity.js";
import { isParallel, type ObservedStatefulSet, planStatefulSet, type StatefulAction } from "./plan.js";
import { planStatus } from "./status.js";

/** How one sync acts: from which history, until which signal, and how many outdated pods it has replaced so far. */
interface Acting {
  readonly history: StatefulHistory;
  readonly progress: { replaced: number };
  readonly signal: AbortSignal;
}

export class StatefulSetController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #sets: FactoryInformer<StatefulSet>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #revisions: FactoryInformer<ControllerRevision>;
  readonly #consistency: ConsistencyStore;
  readonly #recorder: Recorder;
  readonly #claimCache: ReadonlyStore<PersistentVolumeClaim>;
  readonly #claims: ClaimKeeper;
  readonly #loop: KeyLoop;

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#context = context;
    this.#sets = informers.informer(StatefulSet);
    this.#pods = informers.informer(Pod);
    this.#revisions = informers.informer(ControllerRevision);
    const claims = informers.informer(PersistentVolumeClaim);
    indexByController(this.#pods);
    indexByController(this.#revisions);
    const stores = { pods: this.#pods.indexer, claims: claims.indexer, sets: this.#sets.indexer };
    this.#consistency = new ConsistencyStore(stores);
    this.#claimCache = claims.indexer;
    this.#recorder = context.recorderFor("statefulset-controller");
    this.#claims = claimKeeper(context.client, claims.indexer, this.#recorder, (set, written) =>
      this.#wrote(set, "claims", written),
    );
    const sync = (key: string, { signal }: { readonly signal: AbortSignal }) => this.#sync(key, signal);
    const resources = { pods: Pod, claims: PersistentVolumeClaim, sets: StatefulSet };
    const staleSyncs = { subsystem: "statefulset_controller", resources };
    this.#loop = new KeyLoop({ context, name: "statefulset", workers: 5, staleSyncs, sync });
    this.#watch();
  }

  get queues(): readonly InspectableQueue[] {
    return this.#loop.queues;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watch(): void {
    const name = "statefulset";
    this.#loop.follow(this.#sets);
    this.#pods.addEventHandler(
      ownedHandler<Pod, StatefulSet>({
        owners: this.#sets.indexer,
        ownerKind: "StatefulSet",
        selectorOf: claimSelector,
        enqueue: (set, _change, pod, previous) => {
          const key = metaNamespaceKey(set);
          this.#loop.add(key);
          const { minReadySeconds = 0 } = set.spec ?? {};
          if (minReadySeconds > 0 && previous !== undefined && !isReady(previous) && isReady(pod)) {
            this.#loop.addAfter(key, minReadySeconds * 1000 + 1000);
          }
        },
      }),
      { name },
    );
  }

  #wrote(set: StatefulSet, resource: "pods" | "claims" | "sets", { metadata }: Pick<Pod, "metadata">): void {
    const { resourceVersion } = metadata;
    this.#consistency.wrote(metaNamespaceKey(set), set.metadata.uid ?? "", { resource, resourceVersion });
  }

  async #sync(key: string, signal: AbortSignal): Promise<SyncOutcome | void> {
    this.#consistency.ensureReady(key);
    const set = this.#sets.indexer.get(key);
    if (set === undefined) return this.#consistency.forget(key);
    const selector = claimSelector(set);
    if (selector === undefined) return;
    const claimAll = this.#claimer(set, selector, signal);
    const revisions = await claimAll(ControllerRevision, claimable(this.#revisions.indexer, set));
    const pods = await claimAll(Pod, claimable(this.#pods.indexer, set), (pod) => isMemberOf(set, pod));
    const historyOptions: StatefulHistoryOptions = { client: this.#context.client, set, revisions, signal };
    const history = await constructHistory(historyOptions);
    const observed: ObservedStatefulSet = {
      set,
      pods,
      currentRevision: history.current.metadata.name,
      updateRevision: history.update.metadata.name,
      claim: (name) => this.#claimCache.get(`${set.metadata.namespace}/${name}`),
    };
    const now = this.#context.clock.now();
    const progress = { replaced: 0 };
    let failure: unknown;
    try {
      await this.#act(observed, planStatefulSet(observed, now), { history, progress, signal });
    } catch (error) {
      failure = error;
    }
    await this.#report(observed, history, { now, replaced: progress.replaced }, signal);
    await truncateHistory(historyOptions, history, pods);
    if (failure !== undefined) throw failure as Error;
    const requeueAfterMs = nextAvailabilityMs(pods, set.spec?.minReadySeconds ?? 0, now);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  /** What the set owns after adoption and release. */
  #claimer(set: StatefulSet, selector: Selector, signal: AbortSignal) {
    return <T extends Pod | ControllerRevision>(
      type: ResourceType<T>,
      candidates: readonly T[],
      filter: (object: T) => boolean = () => true,
    ): Promise<readonly T[]> =>
      adoptAndRelease<T, StatefulSet>({
        client: this.#context.client,
        owner: set,
        ownerType: StatefulSet,
        type,
        claim: claim({ owner: set, selector, candidates, filter }),
        onWrite: (object) => {
          if (object.kind === "Pod") this.#wrote(set, "pods", object);
        },
        signal,
      });
  }

  /**
   * The replicas of a parallel set get their actions in growing batches over all ordinals: an ordinal whose name somebody else's
   * pod has holds up only the batches after its own. Everything else happens one after the other, as planned.
   */
  async #act({ set }: ObservedStatefulSet, actions: readonly StatefulAction[], acting: Acting): Promise<void> {
    const byReplica: StatefulAction[][] = Array.from({ length: isParallel(set) ? replicasOf(set) : 0 }, () => []);
    const inTurn = actions.filter((action) => {
      const ofReplica = byReplica[replicaOf(set, action) ?? -1];
      ofReplica?.push(action);
      return ofReplica === undefined;
    });
    const performAll = async (some: readonly StatefulAction[]): Promise<void> => {
      for (const action of some) await this.#perform(set, action, acting);
    };
    const { error } = await slowStart(byReplica.length, (i) => performAll(byReplica[i] ?? []));
    if (error !== undefined) throw error as Error;
    await performAll(inTurn);
  }

  async #perform(set: StatefulSet, action: StatefulAction, { history, progress, signal }: Acting): Promise<void> {
    switch (action.type) {
      case "create":
        return this.#create(set, action, history, signal);
      case "delete":
        await this.#delete(set, action, signal);
        if (action.why === "outdated") progress.replaced++;
        return;
      case "ensure-claims":
        return this.#ensureClaims(set, action, signal);
      case "repair":
        return this.#repair(set, action, signal);
      case "retain-claims":
        return this.#claims.retain(set, member(action, true), signal);
      default:
        unreachable(action);
    }
  }

  async #create(
    set: StatefulSet,
    { ordinal, revision }: Extract<StatefulAction, { type: "create" }>,
    history: StatefulHistory,
    signal: AbortSignal,
  ): Promise<void> {
    const name = podNameOf(set, ordinal);
    const from = history[revision];
    const pod = statefulPod({ set, ordinal, template: templateIn(from), revision: from.metadata.name });
    await this.#reported(set, "Create", name, async () => {
      await this.#claims.ensure(set, { name, ordinal, condemned: false }, signal);
      this.#wrote(set, "pods", await this.#context.client.resource(Pod).create(pod, { signal }));
    });
  }

  async #ensureClaims(set: StatefulSet, action: { ordinal: number; pod: Pod }, signal: AbortSignal): Promise<void> {
    await this.#claims.ensure(set, member(action, false), signal);
    await this.#claims.retain(set, member(action, false), signal);
  }

  async #delete(
    set: StatefulSet,
    { pod }: Extract<StatefulAction, { type: "delete" }>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#reported(set, "Delete", pod.metadata.name, async () => {
      const going = await this.#context.client.resource(Pod).delete(pod.metadata, { signal }).catch(unlessNotFound);
      // a pod that stays for a while is not told twice, though the cache may not show yet that it goes
      if (going?.kind === "Pod") this.#wrote(set, "pods", going);
    });
  }

  /** The pod is written even if only its claims were wrong, and told of: so people see that something was put right. */
  async #repair(set: StatefulSet, action: { ordinal: number; pod: Pod }, signal: AbortSignal): Promise<void> {
    const resource = this.#context.client.resource(Pod);
    const { clock, random } = this.#context;
    const { ordinal } = action;
    let { pod } = action;
    await this.#reported(set, "Update", pod.metadata.name, () =>
      retryOnConflict(
        async () => {
          const mended = withIdentity(set, ordinal, pod);
          if (mended.spec !== pod.spec) await this.#claims.ensure(set, member(action, false), signal);
          await this.#claims.retain(set, member(action, false), signal);
          try {
            this.#wrote(set, "pods", await resource.update(mended, { signal }));
          } catch (error) {
            if (isConflict(error)) pod = await resource.get(pod.metadata, { signal });
            throw error;
          }
        },
        { signal, clock, random },
      ),
    );
  }

  async #reported(
    set: StatefulSet,
    verb: "Create" | "Update" | "Delete",
    pod: string,
    write: () => Promise<void>,
  ): Promise<void> {
    const subject = `${verb} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    try {
      await write();
      this.#recorder.normal(set, `Successful${verb}`, `${subject} successful`);
    } catch (error) {
      // somebody else's pod has the name: nothing failed, it is waited for
      if (verb === "Create" && isAlreadyExists(error)) throw error;
      this.#recorder.warning(set, `Failed${verb}`, `${subject} failed error: ${serverWords(error)}`);
      throw error;
    }
  }

  async #report(
    observed: ObservedStatefulSet,
    history: StatefulHistory,
    { now, replaced }: { readonly now: number; readonly replaced: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { set } = observed;
    const status = planStatus(observed, now, replaced);
    if (status === undefined) return;
    const resource = this.#context.client.resource(StatefulSet);
    const { collisionCount } = history;
    let current = set;
    await retryOnConflict(
      async () => {
        try {
          this.#wrote(
            set,
            "sets",
            await resource.status.update({ ...current, status: { ...status, collisionCount } }, { signal }),
          );
        } catch (error) {
          current = await resource.get(set.metadata, { signal });
          if (current.metadata.uid !== set.metadata.uid) return;
          throw error;
        }
      },
      { signal, clock: this.#context.clock, random: this.#context.random },
    );
  }
}

/** Which of the set's replicas, counted from 0, an action is for; undefined if it belongs to a later phase than the replicas' own. */
function replicaOf(set: StatefulSet, action: StatefulAction): number | undefined {
  switch (action.type) {
    case "create":
    case "ensure-claims":
    case "repair":
      return action.ordinal - startOrdinal(set);
    case "delete": {
      const ordinal = ordinalOf(set, action.pod);
      const isOver = action.why === "failed" || action.why === "succeeded";
      return isOver && ordinal !== undefined ? ordinal - startOrdinal(set) : undefined;
    }
    case "retain-claims":
      return undefined;
    default:
      unreachable(action);
  }
}

function member({ ordinal, pod }: { readonly ordinal: number; readonly pod: Pod }, condemned: boolean): MemberPod {
  const { name, uid } = pod.metadata;
  return { ordinal, name, uid, condemned };
}
