/** The scheduler's writes: bindings, the condition of a pod that found no place, evictions. */
import {
  type Binding,
  deepEqual,
  findCondition,
  formatTime,
  isNotFound,
  metaNamespaceKey,
  Pod,
  type PodCondition,
} from "../api/index.js";
import { defined } from "../base/defined.js";
import type { Clock, Logger } from "../base/index.js";
import type { Client } from "../client/index.js";
import type { EventRecorder } from "../controller/index.js";
import type { Candidate } from "./decide/preemption.js";
import type { PodInfo } from "./state/pod-info.js";

export interface SchedulerWritesOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface PlacementReport {
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
  /** The node that the pod is now nominated to; empty for none; absent if unchanged. */
  readonly promised?: string;
}

export class SchedulerWrites {
  readonly #client: Client;
  readonly #recorder: EventRecorder;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor({ client, recorder, clock, log }: SchedulerWritesOptions) {
    this.#client = client;
    this.#recorder = recorder;
    this.#clock = clock;
    this.#log = log;
  }

  async bind(binding: Binding, signal: AbortSignal): Promise<void> {
    await this.#client.resource(Pod).subresource("binding").create(binding.metadata, binding, { signal });
  }

  /** Reports that the pod has a node now. */
  bound(pod: Pod, nodeName: string): void {
    const message = `Successfully assigned ${metaNamespaceKey(pod)} to ${nodeName}`;
    this.#recorder.normal(pod, "Scheduled", message, { action: "Binding" });
  }

  /** Reports a pod that is not even tried. */
  skipped(pod: Pod, message: string): void {
    this.#recorder.warning(pod, "FailedScheduling", message, { action: "Scheduling" });
  }

  /** Records an event each time, and writes the condition and the nomination when they change. */
  async report(pod: Pod, { reason, message, promised }: PlacementReport, signal: AbortSignal): Promise<void> {
    this.#recorder.warning(pod, "FailedScheduling", shortened(message), { action: "Scheduling" });
    const condition = this.#condition(pod, { type: "PodScheduled", status: "False", reason, message });
    const breaks = promised !== undefined && promised !== (pod.status?.nominatedNodeName ?? "");
    if (condition === undefined && !breaks) return;
    const status = {
      ...(condition && { conditions: [condition] }),
      ...(breaks && { nominatedNodeName: promised || null }),
    };
    await this.#patch(pod, status, signal);
  }

  /** Withdraws the nomination of a pod that a more important one displaces. */
  async withdraw(pod: Pod, signal: AbortSignal): Promise<void> {
    if (pod.status?.nominatedNodeName) await this.#patch(pod, { nominatedNodeName: null }, signal);
  }

  /** Deletes a pod to make room for the preemptor. A pod that is already being deleted is left alone. */
  async evict(
    { pod, isDeleting }: PodInfo,
    { preemptor, node }: { readonly preemptor: Pod } & Pick<Candidate, "node">,
    signal: AbortSignal,
  ): Promise<void> {
    if (isDeleting) return;
    const { uid } = pod.metadata;
    const scheduler = preemptor.spec?.schedulerName ?? "";
    const condition = this.#condition(pod, {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: `${scheduler}: preempting to accommodate a higher priority pod`,
    });
    const pods = this.#client.resource(Pod);
    try {
      if (condition !== undefined) {
        const strategic = { metadata: { uid }, status: { conditions: [condition] } };
        await pods.status.patch(pod.metadata, { strategic }, { signal });
      }
      await pods.delete(pod.metadata, { preconditions: defined({ uid }), signal });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    const message = `Preempted by pod ${preemptor.metadata.uid ?? ""} on node ${node}`;
    this.#recorder.normal(pod, "Preempted", message, { action: "Preempting", related: preemptor });
  }

  /** Undefined if the pod has the condition already. */
  #condition({ metadata, status }: Pod, wanted: PodCondition): PodCondition | undefined {
    const known = findCondition(status?.conditions, wanted.type);
    const condition = { ...wanted, ...defined({ observedGeneration: metadata.generation }) };
    if (known !== undefined && deepEqual({ ...known, ...condition }, known)) return undefined;
    const since = known?.status === wanted.status ? known.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: since ?? formatTime(this.#clock.now()) };
  }

  async #patch(pod: Pod, status: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> {
    const strategic = { metadata: { uid: pod.metadata.uid }, status };
    try {
      await this.#client.resource(Pod).status.patch(pod.metadata, { strategic }, { signal });
    } catch (error) {
      if (!signal.aborted && !isNotFound(error)) {
        this.#log.warn("a pod's condition could not be written", { pod: pod.metadata.name, error });
      }
    }
  }
}

const longestNote = 1_024;

/** The message cut to the longest note of an event. */
const shortened = (message: string): string =>
  message.length <= longestNote ? message : `${message.slice(0, longestNote - 4)} ...`;
