import { expect, test } from "vitest";
import type { PodLife } from "./life.js";
import { setBack } from "./set-back.js";

test("every time of a life moves, and nothing else", () => {
  const at = (ms: number): PodLife => ({
    startedAt: ms,
    init: [
      {
        state: { type: "terminated", since: ms + 1, at: ms + 2, exitCode: 0, reason: "Completed" },
        restarts: 0,
        crashes: 0,
        pulls: 0,
      },
    ],
    main: [
      {
        state: { type: "waiting", reason: "CrashLoopBackOff", until: ms + 9 },
        last: { type: "terminated", at: ms + 5, exitCode: 1, reason: "Error" },
        restarts: 2,
        crashes: 3,
        pulls: 0,
      },
      {
        state: { type: "waiting", reason: "ContainerCreating", until: Number.POSITIVE_INFINITY },
        restarts: 0,
        crashes: 0,
        pulls: 0,
      },
    ],
    ephemeral: [{ state: { type: "running", since: ms + 7 }, restarts: 0, crashes: 0, pulls: 0 }],
    stopping: { since: ms + 8 },
  });
  expect(setBack(at(3_600_000), 3_600_000)).toStrictEqual(at(0));
});
