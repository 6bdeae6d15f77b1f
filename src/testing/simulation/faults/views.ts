/** Faults of the operator's view: watches that lag, miss, end, fall silent, or come from a server that is behind. */
import { defined } from "../../../base/defined.js";
import type { FaultKind } from "../fault.js";

const moments = ["event", "time"] as const;

export const lag: FaultKind = {
  name: "lag",
  about:
    "The watch of one kind (struck on an event) or all watches (struck at a write or a time) lag behind the server.",
  strikesOn: ["event", "time", "write"],
  lasts: [100, 60_000],
  weight: 3,
  strike({ forMs = 1_000 }, { hold, resource }) {
    hold({ ...defined({ resource }), forMs, end: "deliver" });
    return undefined;
  },
};

export const unobserved: FaultKind = {
  name: "unobserved",
  about: "A watch is silent and then ends with 410: the operator lists anew, and never sees the states in between.",
  strikesOn: moments,
  lasts: [100, 60_000],
  weight: 2,
  strike({ forMs = 1_000 }, { hold, resource }) {
    hold({ ...defined({ resource }), forMs, end: "gone" });
    return undefined;
  },
};

export const watchesEnd: FaultKind = {
  name: "watches-end",
  about: "All watches end, or break.",
  strikesOn: moments,
  strike({ choice = 0 }, { cutWatches }) {
    cutWatches(choice < 0.5 ? "end" : "reset");
    return undefined;
  },
};

export const watchesGone: FaultKind = {
  name: "watches-gone",
  about: "All watches end with 410: the server has forgotten their revision.",
  strikesOn: moments,
  strike(_, { cutWatches }) {
    cutWatches("gone");
    return undefined;
  },
};

export const silence: FaultKind = {
  name: "silence",
  about: "All watches fall silent without an end, for longer than the operator's patience.",
  strikesOn: moments,
  lasts: [150_000, 300_000],
  weight: 0.5,
  strike({ forMs = 200_000 }, { hold, withholdBookmarks }) {
    withholdBookmarks(forMs);
    hold({ forMs, end: "deliver" });
    return undefined;
  },
};

export const noBookmarks: FaultKind = {
  name: "no-bookmarks",
  about: "The server sends no bookmarks for a while.",
  strikesOn: ["time"],
  lasts: [60_000, 600_000],
  weight: 0.5,
  strike({ forMs = 60_000 }, { withholdBookmarks }) {
    withholdBookmarks(forMs);
    return undefined;
  },
};

export const timeTravel: FaultKind = {
  name: "time-travel",
  about: "The operator restarts and is connected to a server that is behind the state that it saw before.",
  strikesOn: ["write", "time"],
  lasts: [500, 30_000],
  weight: 3,
  strike({ forMs = 1_000, choice = 0 }, { target, travelBack, kill }) {
    travelBack({ byMs: Math.round(choice * 10_000), forMs });
    if (target !== undefined) return { type: "kill-after", downMs: 0 };
    kill(0);
    return undefined;
  },
};

export const oldList: FaultKind = {
  name: "old-list",
  about: "For a while, lists that accept any version come from a cache that is behind.",
  strikesOn: ["read", "time"],
  lasts: [500, 30_000],
  strike({ forMs = 500, choice = 0 }, { listOld }) {
    listOld({ byMs: Math.round(choice * 10_000), forMs });
    return undefined;
  },
};
