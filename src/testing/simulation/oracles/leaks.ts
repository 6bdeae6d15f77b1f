/** Oracles of leaks: deletions that never end, leases, timers, errors that nobody handles. Pure. */
import type { Oracle } from "../oracle.js";

/** No object waits for a finalizer for ever. */
export const nothingStuck: Oracle = {
  name: "nothing-stuck",
  judge({ history: { end } }) {
    const stuck: string[] = [];
    for (const [place, form] of end) {
      const { metadata } = form as {
        readonly metadata?: { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] };
      };
      if (metadata?.deletionTimestamp !== undefined && metadata.finalizers !== undefined)
        stuck.push(`${place}: is being deleted, and waits for ${metadata.finalizers.join(", ")}`);
    }
    return stuck;
  },
};

/** Restarts and handovers leave no more leases behind than there are without them. */
export const noLeaseLeaks: Oracle = {
  name: "no-lease-leaks",
  judge({ history, reference }) {
    const extra = history.leases.length - reference.leases.length;
    return extra <= 0 ? [] : [`${extra} more leases than without faults: ${history.leases.join(", ")}`];
  },
};

/** A process that was stopped has no timers left. */
export const noTimerLeaks: Oracle = {
  name: "no-timer-leaks",
  judge: ({ history: { leftTimers } }) =>
    leftTimers === 0 ? [] : [`${leftTimers} timers of processes that were stopped still run`],
};

/** No promise is rejected without a handler: Node.js ends a process for that. */
export const noUnhandledErrors: Oracle = {
  name: "no-unhandled-errors",
  judge: ({ history: { unhandled } }) =>
    unhandled.map((message) => `a rejection that nobody handled: ${message}`).slice(0, 3),
};
