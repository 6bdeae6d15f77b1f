/** The operator through crashes, lost answers, stale caches and other users. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "coxswain/testing";
import simulation from "./scenario.js";

test("every Website gets its Deployment, whatever fails", async () => {
  const { failures } = await simulate(simulation);
  assert.deepEqual(
    failures.map(({ story }) => story),
    [],
  );
});
