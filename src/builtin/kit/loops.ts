/** The loops of built-in controllers: takes a controller's context and its sync, gives a KeyLoop, and runs it. */
import type { KubeObject } from "../../api/index.js";
import { runTogether } from "../../base/index.js";
import { KeyLoop, type KeyLoopOptions, type KeyRun, type SyncResult } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import { defaultControllerLimiter } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext } from "./context.js";

export interface BuiltInLoopOptions extends Omit<KeyLoopOptions, "host" | "onBehind"> {
  /** Counts runs that a cache held up, as `<subsystem>_stale_sync_skips_total`. */
  readonly subsystem?: string;
}

/** Unless the controller says otherwise, all its failures together are limited too, to ten a second after the first hundred. */
export function keyLoop(context: ControllerContext, options: BuiltInLoopOptions): KeyLoop {
  const { client, journal, clock, random, log, metrics } = context;
  const { subsystem, ...loop } = options;
  const skips =
    subsystem &&
    metrics.counter({
      name: `${subsystem}_stale_sync_skips_total`,
      help: "Syncs that waited because a cache had not seen the controller's own writes",
      labels: ["group", "resource"],
    });
  return new KeyLoop({
    limiter: defaultControllerLimiter({ clock }),
    ...loop,
    workers: context.workers ?? options.workers,
    host: { client, journal, clock, random, log, metrics },
    ...(skips && { onBehind: ({ group, plural }) => skips.with({ group, resource: plural }).inc() }),
  });
}

export interface ObjectLoopOptions<T> extends Omit<BuiltInLoopOptions, "kind" | "sync"> {
  /** Called with the key's object as the cache has it; not called when the object is gone. */
  sync(object: T, run: KeyRun): Promise<SyncResult | void>;
}

/** A loop whose keys name the objects of one informer. */
export function objectLoop<T extends KubeObject>(
  context: ControllerContext,
  { indexer, type: { kind } }: FactoryInformer<T>,
  { sync, ...options }: ObjectLoopOptions<T>,
): KeyLoop {
  return keyLoop(context, {
    ...options,
    kind,
    async sync(run) {
      const object = indexer.get(run.key);
      return object === undefined ? { gone: true } : sync(object, run);
    },
  });
}

/** Runs all of them until the signal aborts, and ends them for good. */
export async function runLoops(loops: readonly KeyLoop[], signal: AbortSignal): Promise<void> {
  try {
    await runTogether(
      loops.map((loop) => (ending) => loop.run({ signal: ending })),
      signal,
    );
  } finally {
    await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
  }
}

export function runController(controller: BuiltInController, signal: AbortSignal): Promise<void> {
  return controller.run?.(signal) ?? runLoops(controller.loops, signal);
}
