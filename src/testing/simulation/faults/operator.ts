/** Faults of the operator's own process: it dies around a write or at any time, pauses, is cut off, or its clock is wrong. */
import { chosen, type FaultKind } from "../fault.js";

export const crashBeforeWrite: FaultKind = {
  name: "crash-before-write",
  about: "The process dies when it sends a write, which does not arrive.",
  strikesOn: ["write"],
  lasts: [0, 30_000],
  weight: 2,
  strike: ({ forMs = 0 }) => ({ type: "kill-before", downMs: forMs }),
};

export const crashAfterWrite: FaultKind = {
  name: "crash-after-write",
  about: "The process dies after a write, before it knows the answer.",
  strikesOn: ["write"],
  lasts: [0, 30_000],
  weight: 3,
  strike: ({ forMs = 0 }) => ({ type: "kill-after", downMs: forMs }),
};

export const crash: FaultKind = {
  name: "crash",
  about: "The process dies at some time.",
  strikesOn: ["time", "event", "read"],
  lasts: [0, 60_000],
  strike({ forMs = 0 }, { kill }) {
    kill(forMs);
    return undefined;
  },
};

export const pause: FaultKind = {
  name: "pause",
  about: "The process stands still for a while, as in a long collection of garbage, and does not notice.",
  strikesOn: ["time", "event"],
  lasts: [100, 60_000],
  strike({ forMs = 1_000 }, controls) {
    controls.pause(forMs);
    return undefined;
  },
};

/** A leap second and a clock that was never set are both seen; a jump of an hour is what a change of the time zone does. */
const jumpsMs = [-3_600_000, -60_000, 3_600_000, -3_600_000, 1_000, 60_000] as const;

export const clockJump: FaultKind = {
  name: "clock-jump",
  about: "The wall clock of the process jumps, forward or back, by up to an hour.",
  strikesOn: ["time"],
  strike({ choice = 0 }, { jumpClock }) {
    jumpClock(chosen(jumpsMs, choice) ?? 0);
    return undefined;
  },
};

const mostDrift = 0.1;

export const clockDrift: FaultKind = {
  name: "clock-drift",
  about: "The clock of one process runs too fast or too slow, by up to a tenth.",
  strikesOn: ["time"],
  weight: 0.5,
  strike({ choice = 0 }, { driftClock }) {
    driftClock(1 + (((choice * 7919) % 1) * 2 - 1) * mostDrift);
    return undefined;
  },
};

export const partition: FaultKind = {
  name: "partition",
  about: "One process does not reach the server for a while, not even to renew its lease.",
  strikesOn: ["time", "write"],
  lasts: [500, 90_000],
  strike({ forMs = 500 }, controls) {
    controls.partition(forMs);
    return undefined;
  },
};
