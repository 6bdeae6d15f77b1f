/** The state that the views show: that of the process now, that of a moment of the past as far as it is remembered, or that of a recording. */
import { useMemo } from "preact/hooks";
import type { PastState } from "../../../src/dashboard/wire.js";
import { timeOfDay } from "../parts/format.js";
import type { Recording } from "../recording/recording.js";
import { useAsk } from "../state/ask.js";
import type { Moment } from "../state/moment.js";
import { store, type Watched } from "../state/store.js";

export interface Shown {
  readonly watched: Watched;
  /** The parts of the moment that nobody remembers, in words. */
  readonly note: string | undefined;
}

export function useShown(live: Watched, moment: Moment | undefined, recording: Recording | undefined): Shown {
  const recorded = useMemo(
    () => (moment === undefined ? undefined : recording?.watchedAt(moment)),
    [recording, moment?.at],
  );
  const sample = moment === undefined || recording !== undefined ? undefined : store.history.at(moment.at);
  const isOlder = moment !== undefined && recording === undefined && sample === undefined;
  const { answer, problem } = useAsk<PastState>(isOlder ? `past?until=${moment.at}` : undefined);
  return useMemo(() => {
    if (recorded !== undefined) return { watched: recorded, note: undefined };
    if (moment === undefined) return { watched: live, note: undefined };
    const connection = { connection: live.connection };
    if (sample !== undefined) return { watched: { ...sample.watched, ...connection }, note: undefined };
    const { controllers = [], runs = [] } = answer ?? {};
    const watched: Watched = {
      ...connection,
      lanes: new Map(),
      controllers: new Map(controllers.map((line) => [line.name, line])),
      process: undefined,
      runs,
      restarted: live.restarted,
    };
    return { watched, note: problem ?? (answer && forgotten(answer, moment)) };
  }, [recorded, moment === undefined ? live : live.connection, moment?.at, sample, answer, problem]);
}

function forgotten({ since }: PastState, { at }: Moment): string {
  const opened = "This page was not open then, so it does not know the informers and the figures of the process.";
  if (since === undefined) return `${opened} The journal remembers no reconcile.`;
  return since > at
    ? `${opened} The journal has forgotten that moment too: it begins at ${timeOfDay(since)}.`
    : `${opened} Reconciles and queues are told by the journal, which begins at ${timeOfDay(since)}; objects by the server.`;
}
