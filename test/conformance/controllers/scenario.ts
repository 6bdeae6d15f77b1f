/** A scenario: changes in a namespace, and the checkpoints at which its state is recorded. Runs the same on both sides. */
import {
  type Draft,
  type KubeObject,
  Namespace,
  type Pod,
  Pod as Pods,
  type ResourceType,
  ServiceAccount,
} from "../../../src/api/index.js";
import { abortable, systemClock } from "../../../src/base/index.js";
import type { Patch } from "../../../src/client/index.js";
import { deadline } from "./deadline.js";
import { type NamespaceState, type NormaliseOptions, stateOf } from "./normalise.js";
import { observedKinds } from "./observer.js";
import type { Side } from "./side.js";

export interface Scenario extends NormaliseOptions {
  /** Also the namespace. */
  readonly name: string;
  /** True if the distance between steps depends on the speed of pods: numbers and counts in events are then not compared. */
  readonly loose?: boolean;
  run(stage: Stage): Promise<void>;
}

export interface Recording {
  readonly checkpoints: Readonly<Record<string, NamespaceState>>;
  /** The failure that kept the scenario from reaching its end. */
  readonly failure?: string;
  readonly seconds: number;
}

/** A namespace must be quiet for this long before its state is recorded; longer than any controller batches its work. */
const quietMs = 2_500;
const stepTimeoutMs = 150_000;
const scenarioTimeoutMs = 2 * stepTimeoutMs;
/** The limit of all scenarios of a side together: what is not played by then is named. */
const sideTimeoutMs = 1_200_000;

const namespacedKinds = observedKinds
  .filter(({ kind, scope }) => scope === "Namespaced" && kind !== "Event")
  .map(({ kind }) => kind);

export class Stage {
  readonly namespace: string;
  readonly side: Side;
  readonly checkpoints: Record<string, NamespaceState> = {};
  /** What the scenario waits for, for the message of one that does not end. */
  step = "its first step";
  readonly #options: NormaliseOptions;
  readonly #signal: AbortSignal;

  constructor(side: Side, { name, ...options }: Scenario, signal: AbortSignal) {
    this.side = side;
    this.namespace = name;
    this.#options = options;
    this.#signal = signal;
  }

  of<T extends KubeObject>(type: ResourceType<T>) {
    return this.side.client.resource(type, type.scope === "Namespaced" ? { namespace: this.namespace } : {});
  }

  create<T extends KubeObject>(type: ResourceType<T>, object: Draft<T>): Promise<T> {
    return this.of(type).create(object);
  }

  async patch<T extends KubeObject>(type: ResourceType<T>, name: string, merge: unknown): Promise<void> {
    await this.of(type).patch(name, { merge } as Patch<T>);
  }

  async until<T extends KubeObject>(
    type: ResourceType<T>,
    name: string,
    predicate: (object: T | undefined) => boolean,
  ): Promise<void> {
    this.step = `${type.kind} ${name}`;
    await this.of(type).waitFor(name, predicate, { signal: this.#signal, timeoutMs: stepTimeoutMs });
  }

  /** Waits for an object that is as wanted; gives its name. */
  async untilFound<T extends KubeObject>(type: ResourceType<T>, isWanted: (object: T) => boolean): Promise<string> {
    this.step = `a ${type.kind} as wanted`;
    for (const deadline = systemClock.monotonic() + stepTimeoutMs; ; ) {
      const found = (await this.of(type).list()).items.find(isWanted);
      if (found !== undefined) return found.metadata.name;
      if (systemClock.monotonic() > deadline) throw new Error(`no ${type.kind} is as wanted`);
      await this.pause(100);
    }
  }

  /** Waits until no object is like this. */
  async none<T extends KubeObject>(type: ResourceType<T>, isLeft: (object: T) => boolean): Promise<void> {
    this.step = `no ${type.kind} left`;
    for (const deadline = systemClock.monotonic() + stepTimeoutMs; ; ) {
      if (!(await this.of(type).list()).items.some(isLeft)) return;
      if (systemClock.monotonic() > deadline) throw new Error(`a ${type.kind} stays`);
      await this.pause(100);
    }
  }

  gone<T extends KubeObject>(type: ResourceType<T>, name: string): Promise<void> {
    return this.until(type, name, (object) => object === undefined);
  }

  /** The pods that are not being deleted, by name. */
  async pods(labelSelector = ""): Promise<readonly Pod[]> {
    const { items } = await this.of(Pods).list(labelSelector === "" ? {} : { labelSelector });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async untilPods(labelSelector: string, predicate: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
    this.step = `pods ${labelSelector}`;
    for (const deadline = systemClock.monotonic() + stepTimeoutMs; ; ) {
      const pods = await this.pods(labelSelector);
      if (predicate(pods)) return pods;
      if (systemClock.monotonic() > deadline) throw new Error(`pods ${labelSelector} are not as wanted`);
      await this.pause(100);
    }
  }

  pause(ms: number): Promise<void> {
    return systemClock.sleep(ms, this.#signal);
  }

  /** Resolves when nothing has changed for a while and the observer is current, which may take long on a busy machine. */
  async quiet(): Promise<void> {
    const { observer, client } = this.side;
    this.step = "quiet";
    do {
      await observer.quiet(this.namespace, quietMs, this.#signal);
    } while (!(await observer.isCurrent(client, this.namespace)));
  }

  /** Waits until nothing changes any more, and records the state. */
  async checkpoint(name: string): Promise<void> {
    await this.quiet();
    this.note(name);
  }

  /** Records the state, at rest or not. */
  note(name: string): void {
    this.checkpoints[name] = stateOf(this.side.observer, this.namespace, namespacedKinds, this.#options);
  }
}

/** The number of scenarios at once: on an overloaded machine controllers look slow, and steps merge. */
const atOnce = 12;

export async function record(side: Side, scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, Recording>> {
  const recordings = new Map<string, Recording>();
  const waiting = [...scenarios];
  using whole = deadline(sideTimeoutMs, "the time of all scenarios is over", side.ended);
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      recordings.set(next.name, await play(side, next, whole.signal));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return recordings;
}

async function play(side: Side, scenario: Scenario, whole: AbortSignal): Promise<Recording> {
  const began = systemClock.monotonic();
  using limit = deadline(scenarioTimeoutMs, "the time of a scenario is over", whole);
  const stage = new Stage(side, scenario, limit.signal);
  const ended = () => ({
    checkpoints: stage.checkpoints,
    seconds: Math.round((systemClock.monotonic() - began) / 1_000),
  });
  try {
    whole.throwIfAborted();
    // also ends the wait for a step that does not hear the signal
    await abortable(playOn(stage, scenario), limit.signal);
    return ended();
  } catch (error) {
    stage.note("failed");
    return { ...ended(), failure: `${error instanceof Error ? error.message : String(error)}, at ${stage.step}` };
  }
}

async function playOn(stage: Stage, scenario: Scenario): Promise<void> {
  await stage.side.client.resource(Namespace).create({ metadata: { name: scenario.name } });
  // without it pods are refused, which might be recorded as an event
  await stage.until(ServiceAccount, "default", (account) => account !== undefined);
  await scenario.run(stage);
  await stage.checkpoint("end");
}
