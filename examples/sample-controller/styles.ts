/** Both styles as programs of one shape, with events that reach the server. main.ts runs one of them, the tests both. */
import { type Client, EventBroadcaster, type Logger } from "coxswain";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import { runSampleManager } from "./high-level.js";
import { runSampleController } from "./low-level.js";

export interface StyleOptions {
  readonly client: Client;
  readonly log: Logger;
  /**
   * The number of Foos that are synced at the same time. A worker is not a thread and mostly waits for the server, so
   * many workers are cheap.
   */
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
