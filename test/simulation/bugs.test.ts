/** Every bug of the corpus is found, and no mended twin is accused. */
import { describe, expect, test } from "vitest";
import { simulate } from "../../src/testing/index.js";
import { type Bug, usual } from "./bugs/bug.js";
import { steps } from "./bugs/steps.js";
import { views } from "./bugs/views.js";
import { world } from "./bugs/world.js";
import { managerWith } from "./operators.js";

const full = process.env["COXSWAIN_FULL"] !== undefined;

const report = ({ controller, scenario = usual, world: around }: Bug, mended: boolean, seeds: number) =>
  simulate({
    operator: (tools) => managerWith(tools, controller(mended)),
    scenario,
    ...(around === undefined ? {} : { world: around }),
    seeds,
  });

describe.each([...steps, ...views, ...world])("$name: $about", (bug) => {
  test("is found", async () => {
    const { failures } = await report(bug, false, 400);
    expect(failures).toHaveLength(1);
  });

  test.runIf(full)("is not seen in the mended twin", async () => {
    const { failures } = await report(bug, true, 60);
    expect(failures.map(({ story }) => story)).toEqual([]);
  });
});
