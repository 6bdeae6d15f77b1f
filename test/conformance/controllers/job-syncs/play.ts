/** Runs one sync of our Job controller on a given Job and pods, without a server; gives all of its writes. */
import {
  type Job,
  Job as Jobs,
  type KubeObject,
  Pod as Pods,
  type Pod,
  type ResourceType,
} from "../../../../src/api/index.js";
import { FakeClock, MetricsRegistry, seededRandom, silentLogger } from "../../../../src/base/index.js";
import type { Client } from "../../../../src/client/index.js";
import type { ControllerContext } from "../../../../src/builtin/kit/context.js";
import { runController } from "../../../../src/builtin/kit/loops.js";
import { Journal } from "../../../../src/controller/index.js";
import { JobController } from "../../../../src/builtin/job/controller.js";
import { Indexer, namespaceIndexFunction } from "../../../../src/informer/store/indexer.js";
import type { ObjectChange, SharedInformerFactory } from "../../../../src/informer/index.js";

export interface JobSync {
  readonly name: string;
  readonly now: string;
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** Requests that are refused: `create`, `delete NAME`, `patch NAME`. */
  readonly fail?: readonly string[];
}

export interface JobSyncResult {
  readonly error: boolean;
  /** Each status that was written. */
  readonly writes: readonly unknown[];
  readonly creates: readonly string[];
  readonly deletes: readonly string[];
  /** Pods whose finalizer was taken off. */
  readonly patches: readonly string[];
  readonly events: readonly string[];
  /** The delays, in milliseconds, after which it wants to look again. */
  readonly later: readonly number[];
}

export async function playSync({ now, job, pods, fail = [] }: JobSync): Promise<JobSyncResult> {
  const clock = new FakeClock({ startMs: Date.parse(now) });
  const writes: unknown[] = [];
  const creates: string[] = [];
  const deletes: string[] = [];
  const patches: string[] = [];
  const events: string[] = [];
  const mayFail = (what: string): void => {
    if (fail.includes(what)) throw new Error("no");
  };
  const note =
    (type: string) =>
    (_object: KubeObject, reason: string, message: string): void =>
      void events.push(`${type} ${reason} ${message}`);
  const ofJobs = {
    get: async () => job,
    status: {
      async update(written: Job): Promise<Job> {
        writes.push(written.status);
        return written;
      },
    },
  };
  const ofPods = {
    async create(pod: Pod): Promise<Pod> {
      const { generateName = "", annotations = {} } = pod.metadata;
      const notes = Object.entries(annotations).map(([key, value]) => `${key}=${value}`);
      creates.push(`${generateName} ${pod.spec?.hostname ?? ""} ${notes.toSorted().join()}`);
      mayFail("create");
      mayFail(`create ${creates.length}`);
      return { ...pod, metadata: { ...pod.metadata, name: `${generateName}x` } };
    },
    async delete({ name }: { readonly name: string }): Promise<void> {
      deletes.push(name);
      mayFail(`delete ${name}`);
    },
    async patch({ name }: { readonly name: string }, { strategic }: { readonly strategic: Pod }): Promise<Pod> {
      patches.push(name);
      mayFail(`patch ${name}`);
      const pod = pods.find(({ metadata }) => metadata.name === name) as Pod;
      const { finalizers = [] } = pod.metadata;
      const more = strategic.metadata.finalizers ?? [];
      return { ...pod, metadata: { ...pod.metadata, finalizers: [...new Set([...finalizers, ...more])] } };
    },
  };
  const [jobInformer, podInformer] = [informerOf<Job>(Jobs, [job]), informerOf<Pod>(Pods, pods)];
  const controller = new JobController({
    client: { during: () => ({ resource: (type: unknown) => (type === Jobs ? ofJobs : ofPods) }) } as unknown as Client,
    journal: new Journal(),
    informers: {
      informer: (type: unknown) => (type === Pods ? podInformer : jobInformer),
    } as unknown as SharedInformerFactory,
    recorderFor: () => ({ normal: note("Normal"), warning: note("Warning") }),
    credentials: {},
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: new MetricsRegistry(),
  } as ControllerContext);
  jobInformer.handlers[0]?.({ type: "added", object: job, initial: false });
  const stop = new AbortController();
  const running = runController(controller, stop.signal);
  await clock.advance(0);
  const delayed = controller.loops[0]?.snapshot().queue.delayed ?? [];
  const error = delayed.some(({ requeues }) => requeues > 0);
  stop.abort();
  await running.catch(() => {});
  const sorted = (lines: readonly string[]): readonly string[] => lines.toSorted();
  return {
    error,
    writes,
    creates: sorted(creates),
    deletes: sorted(deletes),
    patches: sorted(patches),
    events: sorted(events),
    later: delayed.map(({ dueInMs }) => dueInMs),
  };
}

/** An informer that has these objects, and never changes. */
function informerOf<T extends KubeObject>(type: ResourceType<T>, objects: readonly T[]) {
  const indexer = new Indexer<T>({ indexers: { namespace: namespaceIndexFunction as never } });
  const handlers: ((change: ObjectChange<T>) => void)[] = [];
  for (const object of objects) indexer.put(object);
  return {
    type,
    indexer,
    handlers,
    addIndexers: (more: Parameters<typeof indexer.addIndexers>[0]) => indexer.addIndexers(more),
    addEventHandler(handler: (change: ObjectChange<T>) => void) {
      handlers.push(handler);
      return { remove: async () => {} };
    },
  };
}
