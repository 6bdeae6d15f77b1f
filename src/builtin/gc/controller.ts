/** The garbage collector: deletes objects that have lost their owners, in the background or foreground, and releases orphans. */
import { deepEqual } from "../../api/index.js";
import { isAbortOf, runTogether } from "../../base/index.js";
import type { KeyLoop } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop, runLoops } from "../kit/loops.js";
import type { Reason } from "../../workqueue/index.js";
import { AbsentOwners } from "./absent-owners.js";
import { Collector } from "./collector.js";
import { dependentsOf, type Identity, OwnerGraph, type ToLookAt } from "./graph.js";
import { Monitors } from "./monitors.js";

const resyncMs = 30_000;
/** Nothing can be collected before discovery has succeeded once: until then it is tried this often. */
const rediscoverMs = 1_000;
/** The deletion of an owner of an unwatched kind brings no event: the owner is looked at this often until its kind is watched. */
const unobservedMs = 10_000;

export class GarbageCollector implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #graph = new OwnerGraph();
  readonly #absent = new AbsentOwners();
  readonly #monitors: Monitors;
  readonly #collector: Collector;
  readonly #toDelete: KeyLoop;
  readonly #toOrphan: KeyLoop;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#collector = new Collector({
      graph: this.#graph,
      absent: this.#absent,
      recorder: context.recorderFor("garbage-collector-controller"),
      gone: (identity) => this.#gone(identity),
      lookAt: (uid) => this.#toDelete.add(uid),
    });
    this.#monitors = new Monitors(context, {
      observed: (object) => this.#wake(this.#graph.observe(object)),
      removed: (uid) => this.#wake(this.#graph.remove(uid)),
    });
    const loop = (name: string, look: "attemptToDelete" | "attemptToOrphan"): KeyLoop =>
      keyLoop(context, {
        name: `garbage_collector_${name}`,
        kind: "uid",
        workers: 20,
        sync: async (run) => {
          const uid = run.key;
          const node = this.#graph.get(uid);
          if (node !== undefined) await this.#collector[look](node, run);
          return this.#graph.get(uid)?.virtual === true ? { requeueAfterMs: unobservedMs } : {};
        },
      });
    this.#toDelete = loop("attempt_to_delete", "attemptToDelete");
    this.#toOrphan = loop("attempt_to_orphan", "attemptToOrphan");
  }

  get loops(): readonly KeyLoop[] {
    return [this.#toDelete, this.#toOrphan];
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#firstSync(signal);
      await runTogether([(ending) => runLoops(this.loops, ending), (ending) => this.#keepInSync(ending)], signal);
    } catch (error) {
      if (!isAbortOf(signal, error)) throw error;
    } finally {
      await this.#monitors.close();
    }
  }

  /** Deletes nothing before the graph is complete, or 30 s have passed: one broken kind does not stop all others. */
  async #firstSync(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    const deadline = clock.monotonic() + resyncMs;
    while (!(await this.#discover(signal))) await clock.sleep(rediscoverMs, signal);
    while (!this.#monitors.allSynced && clock.monotonic() < deadline) await clock.sleep(100, signal);
  }

  async #keepInSync(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#context.clock.sleep(resyncMs, signal);
      await this.#discover(signal);
    }
  }

  /** False if discovery failed. */
  async #discover(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#monitors.sync(signal);
      return true;
    } catch (error) {
      if (isAbortOf(signal, error)) throw error;
      this.#context.log.warn("cannot discover what there is to collect", { error });
      return false;
    }
  }

  #wake({ toDelete, toOrphan }: ToLookAt): void {
    for (const uid of toDelete) this.#toDelete.add(uid, this.#why(uid));
    for (const uid of toOrphan) this.#toOrphan.add(uid, this.#why(uid));
  }

  /** Says which object a uid is, for the journal. */
  #why(uid: string): { readonly reason?: Reason } {
    const identity = this.#graph.get(uid)?.identity;
    if (identity === undefined) return {};
    const { kind, name, namespace } = identity;
    return { reason: { type: "source", kind, key: namespace === "" ? name : `${namespace}/${name}` } };
  }

  /** Call it when a live read did not find the object: it counts as a delete event, which may be late or never come. */
  #gone(identity: Identity): void {
    const { apiVersion, kind, name, uid, namespace } = identity;
    this.#absent.add({ apiVersion, kind, name, uid }, namespace);
    const known = this.#graph.get(uid);
    if (known === undefined || known.virtual || deepEqual(known.identity, identity)) {
      return this.#wake(this.#graph.remove(uid));
    }
    // it was observed meanwhile with other coordinates: its dependents must be judged again
    for (const dependent of dependentsOf(known)) this.#toDelete.add(dependent.identity.uid);
  }
}
