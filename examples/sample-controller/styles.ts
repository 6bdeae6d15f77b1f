/** Both styles as programs of one shape, with events that reach the server. From main, and from the tests, which run both. */
import { type Client, EventBroadcaster, type Logger } from "coxswain";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import { runSampleManager } from "./high-level.js";
import { runSampleController } from "./low-level.js";

export interface StyleOptions {
  readonly client: Client;
  readonly log: Logger;
  /** How many Foos are synced at the same time. A worker is no thread, and waits for the server most of its time: many are cheap. */
  readonly workers?: number;
}

type Style = (options: StyleOptions, signal: AbortSignal) => Promise<void>;

export const styles: Readonly<Record<"low-level" | "high-level", Style>> = {
  async "low-level"(options, signal) {
    const { client, log } = options;
    const broadcaster = new EventBroadcaster({ log });
    await using _sink = broadcaster.startRecordingToSink(coreCorrelation(coreEventSink(client)));
    await runSampleController(
      { ...options, recorder: broadcaster.newRecorder({ component: "sample-controller" }) },
      signal,
    );
  },
  "high-level": runSampleManager,
};
