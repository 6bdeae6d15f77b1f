/** Keeps a controller's sources running. */
import type { ResourceType } from "../../api/index.js";
import { exponentialBackoff, type Logger } from "../../base/index.js";
import type { Reason } from "../../workqueue/index.js";
import { requestKey } from "./request-key.js";
import type { Source, SourceTools } from "./sources.js";

export interface SourceRun {
  /** The kind of the objects that are woken. */
  readonly type: ResourceType;
  readonly wake: (key: string, reason: Reason) => void;
  readonly tools: SourceTools;
  readonly log: Logger;
}

/**
 * Runs until the signal of the tools aborts. A source that fails is started again: one broken stream must not end a
 * controller.
 */
export async function runSources(sources: readonly Source[], run: SourceRun): Promise<void> {
  await Promise.all(sources.map((source) => runSource(source, run)));
}

async function runSource(source: Source, { type, wake, tools, log }: SourceRun): Promise<void> {
  const { signal, clock } = tools;
  const backoff = exponentialBackoff({ baseMs: 1000, capMs: 60_000 });
  while (!signal.aborted) {
    try {
      await source.run(
        (request, reason) => wake(requestKey(type, request), { type: "source", message: source.name, ...reason }),
        tools,
      );
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.error("a source failed and will be started again", { source: source.name, error });
      await clock.sleep(backoff.next(), signal).catch(() => {});
    }
  }
}
