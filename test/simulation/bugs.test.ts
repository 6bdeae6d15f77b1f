/** Every bug of the corpus is found, and no mended twin is accused. */
import { describe, expect, test } from "vitest";
import { simulate } from "../../src/testing/index.js";
import { asked } from "./bugs/asked.js";
import { type Bug, playing } from "./bugs/bug.js";
import { deletion } from "./bugs/deletion.js";
import { habits } from "./bugs/habits.js";
import { others } from "./bugs/others.js";
import { processes } from "./bugs/processes.js";
import { steps } from "./bugs/steps.js";
import { trackers } from "./bugs/trackers.js";
import { views } from "./bugs/views.js";
import { world } from "./bugs/world.js";

const full = process.env["COXSWAIN_FULL"] !== undefined;
const corpus: readonly Bug[] = [
  ...steps,
  ...views,
  ...world,
  ...asked,
  ...deletion,
  ...others,
  ...processes,
  ...habits,
  ...trackers,
];

test("every bug has a name of its own and a reference", () => {
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
  for (const { source } of corpus) expect(source.length).toBeGreaterThan(10);
});

describe.each(corpus)("$name: $about", (bug) => {
  // the full run follows an ordinary one, which has done this
  test.skipIf(full)("is found", async () => {
    const { failures } = await simulate({ ...playing(bug, false), seeds: 400 });
    expect(failures).toHaveLength(1);
  });

  test.runIf(full)("is not seen in the mended twin", async () => {
    // a third of the search, so that the run ends in time; by hand, play all of it
    const share = { index: 0, count: 3 };
    const { failures } = await simulate({ ...playing(bug, true), seeds: 60, share });
    expect(failures.map(({ story }) => story)).toEqual([]);
  });
});
