import { describe, expect, test } from "vitest";
import type { Job } from "../../api/index.js";
import { expiresAt } from "./controller.js";

const jobOf = (ttlSecondsAfterFinished: number | undefined, conditions: readonly object[], deleting = false): Job =>
  ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", ...(deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
    spec: { ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }), template: {} },
    status: { conditions },
  }) as Job;

const lastTransitionTime = "2026-01-01T00:00:10Z";
const ended = (type: string, status = "True") => [{ type, status, lastTransitionTime }];
const at = (seconds: number): number => Date.parse(lastTransitionTime) + seconds * 1000;

describe("a Job's time to live", () => {
  for (const [name, job, expected] of [
    ["counts from its completion", jobOf(60, ended("Complete")), at(60)],
    ["counts from its failure", jobOf(60, ended("Failed")), at(60)],
    ["is over at once if it is nothing", jobOf(0, ended("Complete")), at(0)],
    ["does not end without one", jobOf(undefined, ended("Complete")), undefined],
    ["does not end before the Job has", jobOf(60, ended("Complete", "False")), undefined],
    ["does not end while it only will fail", jobOf(60, ended("FailureTarget")), undefined],
    ["does not matter to a Job that goes already", jobOf(60, ended("Complete"), true), undefined],
  ] as const) {
    test(name, () => expect(expiresAt(job)).toBe(expected));
  }
});
