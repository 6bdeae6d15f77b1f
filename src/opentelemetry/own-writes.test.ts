import { expect, test } from "vitest";
import { OwnWrites } from "./own-writes.js";

const span = (spanId: string) => ({ traceId: "t", spanId, traceFlags: 1 });
const web = { type: "updated", kind: "Deployment", key: "default/web", revision: "7" } as const;

test("a revision leads to its write; before the answer, the object leads to the write that is under way", () => {
  const writes = new OwnWrites();
  writes.begin(web, span("a"));
  expect([writes.answered(web), writes.underWay(web)?.spanId]).toEqual([undefined, "a"]);
  writes.begin(web, span("b"));
  writes.end(web, span("a"));
  writes.answer(web, span("a"));
  expect([writes.answered(web)?.spanId, writes.underWay(web)?.spanId]).toEqual(["a", "b"]);
  writes.end(web, span("b"));
  expect(writes.underWay(web)).toBeUndefined();
  expect(writes.answered({ ...web, revision: "8" })).toBeUndefined();
});
