/** The horizontal pod autoscaler: looks at each autoscaler's metrics at an interval, and sets the scale of its target. */
import {
  deepEqual,
  HorizontalPodAutoscaler,
  isConflict,
  metaNamespaceKey,
  Pod,
  type Selector,
} from "../../api/index.js";
import type { KeyLoop, KeyRun, SyncResult } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { serverWords } from "../pods/pod-control.js";
import {
  type AutoscalerEvent,
  type AutoscalerSettings,
  decide,
  needsMetrics,
  type ScaleOutcome,
  type Readings,
  type TargetScale,
  withoutScale,
} from "./decide.js";
import { firstHistory, type ScaleHistory } from "./limits.js";
import { type Reader, readMetric, readTarget, type ScaleTarget } from "./read.js";

export type { AutoscalerSettings };

/** The defaults of kube-controller-manager's flags. */
const defaults: AutoscalerSettings = {
  syncPeriodMs: 15_000,
  downscaleStabilizationMs: 300_000,
  tolerance: 0.1,
  cpuInitializationMs: 300_000,
  initialReadinessMs: 30_000,
};

/** The number of times that a scale is read and written again after a conflict. */
const scaleAttempts = 5;

/**
 * Invariants:
 * 1. `#histories` has an entry for each autoscaler whose target was read, until the autoscaler is gone.
 * 2. `#selectors` has the last known selector of each autoscaler's target, until the autoscaler is gone.
 */
export class PodAutoscaler implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #settings: AutoscalerSettings;
  readonly #autoscalers: FactoryInformer<HorizontalPodAutoscaler>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #recorder: Recorder;
  readonly #histories = new Map<string, ScaleHistory>();
  readonly #selectors = new Map<string, Selector>();
  readonly loops: readonly KeyLoop[];

  constructor(context: ControllerContext, given: Partial<AutoscalerSettings>) {
    const settings = { ...defaults, ...given };
    this.#context = context;
    this.#settings = settings;
    this.#autoscalers = context.informers.informer(HorizontalPodAutoscaler);
    this.#pods = context.informers.informer(Pod);
    this.#recorder = context.recorderFor("horizontal-pod-autoscaler");
    const loop = keyLoop(context, {
      name: "horizontalpodautoscaling",
      kind: "HorizontalPodAutoscaler",
      workers: 5,
      awaits: [this.#autoscalers],
      sync: (run) => this.#sync(run),
    });
    // an autoscaler is looked at a period after it appears, and a period after each look
    loop.watch(this.#autoscalers, ({ type, object }, wake) => {
      if (type === "added") wake(metaNamespaceKey(object), settings.syncPeriodMs);
      else if (type === "deleted") wake(metaNamespaceKey(object));
    });
    this.loops = [loop];
  }

  async #sync(run: KeyRun): Promise<SyncResult> {
    const autoscaler = this.#autoscalers.indexer.get(run.key);
    if (autoscaler === undefined) {
      this.#histories.delete(run.key);
      this.#selectors.delete(run.key);
      return { gone: true };
    }
    await this.#look(autoscaler, run);
    return { requeueAfterMs: this.#settings.syncPeriodMs };
  }

  /** A target or metric that cannot be read is a state of the autoscaler, and no failure of the run. */
  async #look(autoscaler: HorizontalPodAutoscaler, run: KeyRun): Promise<void> {
    const { clock, client } = this.#context;
    const { signal, key } = run;
    const { namespace = "" } = autoscaler.metadata;
    const reader: Reader = { client, work: run.client, namespace, signal };
    const reference = autoscaler.spec?.scaleTargetRef ?? { kind: "", name: "" };
    let target: ScaleTarget;
    try {
      target = await readTarget(reference, reader);
    } catch (error) {
      if (signal.aborted) throw error;
      return this.#tell(autoscaler, withoutScale(autoscaler, serverWords(error), clock.now()), run);
    }
    const { spec, status } = target.scale;
    const scale = {
      specReplicas: spec?.replicas ?? 0,
      statusReplicas: status?.replicas ?? 0,
      selector: status?.selector ?? "",
    };
    const known = this.#histories.get(key) ?? firstHistory(scale.specReplicas, clock.now());
    this.#histories.set(key, known);
    const readings = await this.#readings(autoscaler, { scale, selector: target.selector }, reader);
    const now = clock.now();
    const decision = decide({ autoscaler, scale, readings, history: known, now, settings: this.#settings });
    let outcome: ScaleOutcome = decision;
    if (decision.rescale !== undefined) {
      const problem = await this.#rescale(target, decision.rescale.replicas, run);
      if (problem !== undefined) outcome = decision.rescale.failed(problem);
    }
    if (outcome === decision) this.#histories.set(key, decision.history);
    await this.#tell(autoscaler, outcome, run);
  }

  async #readings(
    autoscaler: HorizontalPodAutoscaler,
    { scale, selector }: { readonly scale: TargetScale; readonly selector: Selector | undefined },
    reader: Reader,
  ): Promise<Readings> {
    if (!needsMetrics(autoscaler, scale)) return { type: "read", pods: [], readings: [] };
    const refused = (
      eventReason: string,
      problem: string,
      more: { readonly reason?: string; readonly message?: string } = {},
    ): Readings => ({
      type: "refused",
      event: { type: "Warning", reason: eventReason, message: problem },
      reason: more.reason ?? eventReason,
      message: more.message ?? problem,
    });
    if (selector === undefined) {
      const message = "the HPA target's scale is missing a selector";
      return refused("SelectorRequired", "selector is required", { reason: "InvalidSelector", message });
    }
    this.#selectors.set(metaNamespaceKey(autoscaler), selector);
    const { lister } = this.#pods;
    const pods = lister.namespace(reader.namespace).list(selector);
    const rivals = this.#autoscalersOf(reader.namespace, pods);
    if (rivals.length > 1) {
      const shown = `[${rivals.join(" ")}]`;
      const problem = `pods by selector ${scale.selector} are controlled by multiple HPAs: ${shown}`;
      return refused("AmbiguousSelector", problem);
    }
    const metrics = autoscaler.spec?.metrics ?? [];
    const readings = await Promise.all(metrics.map((metric) => readMetric(metric, scale.selector, reader)));
    return { type: "read", pods: lister.namespace(reader.namespace).list(selector), readings };
  }

  /** The autoscalers of the namespace whose targets select one of the pods. */
  #autoscalersOf(namespace: string, pods: readonly Pod[]): readonly string[] {
    return [...this.#selectors]
      .filter(([key]) => key.startsWith(`${namespace}/`))
      .filter(([, selector]) => pods.some(({ metadata }) => selector.matches(metadata.labels)))
      .map(([key]) => key);
  }

  /** Gives the problem if the target cannot be scaled. */
  async #rescale({ scale, resource }: ScaleTarget, replicas: number, { signal }: KeyRun): Promise<string | undefined> {
    let latest = scale;
    for (let attempt = 1; ; attempt++) {
      try {
        await resource.scale.update({ ...latest, spec: { ...latest.spec, replicas } });
        return undefined;
      } catch (error) {
        if (signal.aborted) throw error;
        if (!isConflict(error) || attempt === scaleAttempts) return serverWords(error);
        latest = await resource.scale.get(scale.metadata.name).catch(() => latest);
      }
    }
  }

  /** Records the events, and writes the status if it differs. */
  async #tell(
    autoscaler: HorizontalPodAutoscaler,
    { status, events }: ScaleOutcome,
    { client, signal }: KeyRun,
  ): Promise<void> {
    for (const event of events) this.#record(autoscaler, event);
    if (deepEqual(autoscaler.status, status)) return;
    try {
      await client.resource(HorizontalPodAutoscaler).status.update({ ...autoscaler, status });
    } catch (error) {
      if (signal.aborted) throw error;
      this.#record(autoscaler, { type: "Warning", reason: "FailedUpdateStatus", message: serverWords(error) });
    }
  }

  #record(autoscaler: HorizontalPodAutoscaler, { type, reason, message }: AutoscalerEvent): void {
    if (type === "Normal") this.#recorder.normal(autoscaler, reason, message);
    else this.#recorder.warning(autoscaler, reason, message);
  }
}
