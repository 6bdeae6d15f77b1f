/** Watches StatefulSets and their pods, and syncs one set at a time: history, pods in order, status. */
import {
  ControllerRevision,
  isAlreadyExists,
  isNotFound,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  unless,
} from "../../api/index.js";
import { unreachable } from "../../base/index.js";
import type { KeyLoop, KeyRun, SyncResult } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import { templateIn } from "../history/revisions.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { claimSelector } from "../kit/selector.js";
import { objectLoop } from "../kit/loops.js";
import { retryFresh } from "../kit/status.js";
import { OwnedObjects } from "../ownership/owned.js";
import { wakeWhenAvailable } from "../pods/wake-when-available.js";
import { serverWords } from "../pods/pod-control.js";
import { slowStart } from "../pods/slow-start.js";
import { nextAvailabilityMs } from "../pods/state.js";
import { type ClaimKeeper, claimKeeper, type MemberPod } from "./claims.js";
import { constructHistory, type StatefulHistory, type StatefulHistoryOptions, truncateHistory } from "./history.js";
import { isMemberOf, ordinalOf, podNameOf, replicasOf, startOrdinal, statefulPod, withIdentity } from "./identity.js";
import { isParallel, type ObservedStatefulSet, planStatefulSet, type StatefulAction } from "./plan.js";
import { planStatus } from "./status.js";

/** The state of one sync: its run, the history it works from, and the number of outdated pods it has replaced so far. */
interface Acting {
  readonly run: KeyRun;
  readonly claims: ClaimKeeper;
  readonly history: StatefulHistory;
  readonly progress: { replaced: number };
}

export class StatefulSetController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #pods: OwnedObjects<Pod, StatefulSet>;
  readonly #revisions: OwnedObjects<ControllerRevision, StatefulSet>;
  readonly #claims: FactoryInformer<PersistentVolumeClaim>;
  readonly #recorder: Recorder;
  readonly loops: readonly KeyLoop[];

  constructor(context: ControllerContext) {
    const { informers } = context;
    const pods = informers.informer(Pod);
    const owners = informers.informer(StatefulSet);
    const revisions = informers.informer(ControllerRevision);
    this.#context = context;
    this.#pods = new OwnedObjects({ owners, objects: pods, selectorOf: claimSelector });
    this.#revisions = new OwnedObjects({ owners, objects: revisions, selectorOf: claimSelector });
    this.#claims = informers.informer(PersistentVolumeClaim);
    this.#recorder = context.recorderFor("statefulset-controller");
    const loop = objectLoop(context, owners, {
      name: "statefulset",
      workers: 5,
      awaits: [pods, this.#claims, owners],
      subsystem: "statefulset_controller",
      sync: (set, run) => this.#sync(set, run),
    });
    this.loops = [loop];
    loop.follow(owners);
    this.#pods.wakeOwners(
      loop,
      wakeWhenAvailable(({ spec }) => spec?.minReadySeconds),
    );
  }

  async #sync(set: StatefulSet, run: KeyRun): Promise<SyncResult | void> {
    const { client } = run;
    if (claimSelector(set) === undefined) return;
    const revisions = await this.#revisions.claim(set, run);
    const pods = await this.#pods.claim(set, run, { filter: (pod) => isMemberOf(set, pod) });
    const historyOptions: StatefulHistoryOptions = { client, set, revisions };
    const history = await constructHistory(historyOptions);
    const observed: ObservedStatefulSet = {
      set,
      pods,
      currentRevision: history.current.metadata.name,
      updateRevision: history.update.metadata.name,
      claim: (name) => this.#claims.indexer.get(`${set.metadata.namespace}/${name}`),
    };
    const now = this.#context.clock.now();
    const progress = { replaced: 0 };
    const claims = claimKeeper(client, this.#claims.indexer, this.#recorder);
    let failure: unknown;
    try {
      await this.#act(observed, planStatefulSet(observed, now), { run, claims, history, progress });
    } catch (error) {
      failure = error;
    }
    await this.#report(observed, { now, run, history, progress });
    await truncateHistory(historyOptions, history, pods);
    if (failure !== undefined) throw failure as Error;
    return { requeueAfterMs: nextAvailabilityMs(pods, set.spec?.minReadySeconds ?? 0, now) };
  }

  /**
   * The replicas of a parallel set are handled in growing batches over all ordinals: an ordinal whose name is taken by
   * a foreign pod delays only the batches after its own. All other actions run one after the other, as planned.
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

  async #perform(set: StatefulSet, action: StatefulAction, acting: Acting): Promise<void> {
    const { claims, progress } = acting;
    switch (action.type) {
      case "create":
        return this.#create(set, action, acting);
      case "delete":
        await this.#delete(set, action, acting);
        if (action.why === "outdated") progress.replaced++;
        return;
      case "ensure-claims":
        await claims.ensure(set, member(action, false));
        return claims.retain(set, member(action, false));
      case "repair":
        return this.#repair(set, action, acting);
      case "retain-claims":
        return claims.retain(set, member(action, true));
      default:
        unreachable(action);
    }
  }

  async #create(
    set: StatefulSet,
    { ordinal, revision }: Extract<StatefulAction, { type: "create" }>,
    { history, claims, run }: Acting,
  ): Promise<void> {
    const name = podNameOf(set, ordinal);
    const from = history[revision];
    const pod = statefulPod({ set, ordinal, template: templateIn(from), revision: from.metadata.name });
    await this.#reported(set, "Create", name, async () => {
      await claims.ensure(set, { name, ordinal, condemned: false });
      await run.client.resource(Pod).create(pod);
    });
  }

  async #delete(set: StatefulSet, { pod }: { readonly pod: Pod }, { run }: Acting): Promise<void> {
    await this.#reported(set, "Delete", pod.metadata.name, async () => {
      await run.client.resource(Pod).delete(pod.metadata).catch(unless(isNotFound));
    });
  }

  /** Updates the pod even if only its claims were wrong, and records an event: so people see that something was repaired. */
  async #repair(set: StatefulSet, action: { ordinal: number; pod: Pod }, { run, claims }: Acting): Promise<void> {
    const mend = async (pod: Pod): Promise<void> => {
      const mended = withIdentity(set, action.ordinal, pod);
      if (mended.spec !== pod.spec) await claims.ensure(set, member(action, false));
      await claims.retain(set, member(action, false));
      await run.client.resource(Pod).update(mended);
    };
    await this.#reported(set, "Update", action.pod.metadata.name, () => retryFresh(Pod, action.pod, mend, run));
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
      // a foreign pod has the name: nothing failed, the set waits for it to go
      if (verb === "Create" && isAlreadyExists(error)) throw error;
      this.#recorder.warning(set, `Failed${verb}`, `${subject} failed error: ${serverWords(error)}`);
      throw error;
    }
  }

  async #report(
    observed: ObservedStatefulSet,
    { now, run, history, progress }: Omit<Acting, "claims"> & { readonly now: number },
  ): Promise<void> {
    const { set } = observed;
    const status = planStatus(observed, now, progress.replaced);
    if (status === undefined) return;
    const { collisionCount } = history;
    const write = async (current: StatefulSet): Promise<void> => {
      if (current.metadata.uid !== set.metadata.uid) return;
      await run.client.resource(StatefulSet).status.update({ ...current, status: { ...status, collisionCount } });
    };
    await retryFresh(StatefulSet, set, write, run);
  }
}

/** The set's replica, counted from 0, that an action is for; undefined if the action belongs to a later phase. */
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
