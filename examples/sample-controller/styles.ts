/** Both styles as programs of one shape, with events that reach the server. From main, and from the tests, which run both. */
import { type Client, EventBroadcaster, type Logger } from "coxswain";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import { runSampleManager } from "./high-level.js";
import { runSampleController } from "./low-level.js";

type Style = (client: Client, log: Logger, signal: AbortSignal) => Promise<void>;

export const styles: Readonly<Record<"low-level" | "high-level", Style>> = {
  async "low-level"(client, log, signal) {
    const broadcaster = new EventBroadcaster({ log });
    await using _sink = broadcaster.startRecordingToSink(coreCorrelation(coreEventSink(client)));
    const recorder = broadcaster.newRecorder({ component: "sample-controller" });
    await runSampleController({ client, recorder, log }, signal);
  },
  "high-level": runSampleManager,
};
