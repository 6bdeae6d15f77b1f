import { expect, test } from "vitest";
import type { KubeObject } from "../../../api/index.js";
import { foreignMark } from "../end-state.js";
import { placeNamed } from "../fault.js";
import { Belongings } from "./belongings.js";

const secret = (uid: string, resourceVersion = "1", marks = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: `s${uid}`, namespace: "n", uid, resourceVersion, annotations: marks, labels: marks },
});

test("an object of somebody's own must stay as it is, and a mark must stay on an object that stays", () => {
  const belongings = new Belongings();
  belongings.added(placeNamed(secret("1")), secret("1"));
  belongings.marked(placeNamed(secret("2")), secret("2"), "annotations");
  belongings.marked(placeNamed(secret("2")), secret("2"), "labels");
  const marked = secret("2", "9", { [foreignMark]: "stays" });
  expect(belongings.isOwn(secret("1"))).toBe(true);
  expect(belongings.isOwn(marked)).toBe(false);
  expect(belongings.harmIn([secret("1"), marked])).toEqual([]);
  expect(belongings.harmIn([secret("1")])).toEqual([]);
  expect(belongings.harmIn([secret("1", "2"), secret("2")])).toEqual([
    "Secret n/s1: belongs to somebody else, and was changed",
    "Secret n/s2: somebody else's annotation was removed",
    "Secret n/s2: somebody else's label was removed",
  ]);
  expect(belongings.harmIn([])).toEqual(["Secret n/s1: belongs to somebody else, and was deleted"]);
});
