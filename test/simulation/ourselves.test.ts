/** Our own parts under simulation: the built-in controllers, scheduler and nodes, leader election and sharding. */
import { describe, expect, test } from "vitest";
import { simulate, type SimulateOptions } from "../../src/testing/index.js";
import builtIns from "./subjects/built-ins.js";
import job from "./subjects/job.js";
import leaderElection from "./subjects/leader-election.js";
import scheduler from "./subjects/scheduler.js";
import sharding from "./subjects/sharding.js";

const full = process.env["COXSWAIN_FULL"] !== undefined;

/** Subjects whose histories are cheap play more of them. */
const subjects: readonly { readonly name: string; readonly subject: SimulateOptions; readonly histories: number }[] = [
  { name: "the built-in controllers", subject: builtIns, histories: 30 },
  { name: "the built-in controllers, with a Job", subject: job, histories: 30 },
  { name: "the scheduler and the simulated nodes", subject: scheduler, histories: 30 },
  { name: "two managers and a lease", subject: leaderElection, histories: 150 },
  { name: "two managers and four shards", subject: sharding, histories: 30 },
];

describe.runIf(full)("converges, whatever fails:", () => {
  test.each(subjects)("$name", { timeout: 300_000 }, async ({ subject, histories: usual }) => {
    const seeds = Number(process.env["COXSWAIN_HISTORIES"] ?? usual);
    const { failures, histories } = await simulate({ systematic: false, ...subject, seeds });
    expect(failures.map(({ story }) => story)).toEqual([]);
    const asked = process.env["COXSWAIN_SEED"]?.split(",").length ?? seeds;
    expect(histories).toBe(asked + 1);
  });
});
