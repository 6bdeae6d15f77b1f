import { describe, expect, test } from "vitest";
import { type Pod, selectorFromSet } from "../../api/index.js";
import { claim } from "./claim.js";

const ownerOf = (deletionTimestamp?: string) => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: "web",
    namespace: "default",
    uid: "mine",
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  },
});

interface Shape {
  readonly controller?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly leaving?: boolean;
  readonly namespace?: string;
}

function podOf(
  name: string,
  { controller, labels = { app: "web" }, leaving = false, namespace = "default" }: Shape,
): Pod {
  const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: controller ?? "", controller: true };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels,
      ...(controller === undefined ? {} : { ownerReferences: [reference] }),
      ...(leaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
  };
}

const claimed = (shape: Shape, options: { leaving?: boolean; filter?: (pod: Pod) => boolean } = {}): string => {
  const { filter } = options;
  const result = claim({
    owner: ownerOf(options.leaving === true ? "2026-01-01T00:00:00Z" : undefined),
    selector: selectorFromSet({ app: "web" }),
    candidates: [podOf("p", shape)],
    ...(filter === undefined ? {} : { filter }),
  });
  return (["owned", "adopt", "release"] as const).find((name) => result[name].length > 0) ?? "nothing";
};

describe("an owner", () => {
  const other = { app: "other" };
  for (const [does, expected, shape] of [
    ["keeps its own that match", "owned", { controller: "mine" }],
    ["keeps its own that match while they leave", "owned", { controller: "mine", leaving: true }],
    ["releases its own that match no more", "release", { controller: "mine", labels: other }],
    [
      "releases its own that match no more while they leave",
      "release",
      { controller: "mine", labels: other, leaving: true },
    ],
    ["leaves alone what another owns", "nothing", { controller: "another" }],
    ["leaves alone what another owns and does not match", "nothing", { controller: "another", labels: other }],
    ["adopts orphans that match", "adopt", {}],
    ["leaves alone orphans that do not match", "nothing", { labels: other }],
    ["leaves alone orphans that leave", "nothing", { leaving: true }],
    ["leaves alone orphans of another namespace", "nothing", { namespace: "elsewhere" }],
  ] as const) {
    test(does, () => expect(claimed(shape)).toBe(expected));
  }

  test("that leaves adopts and releases nothing, and keeps what it has", () => {
    const shapes: readonly Shape[] = [{}, { controller: "mine", labels: other }, { controller: "mine" }];
    expect(shapes.map((shape) => claimed(shape, { leaving: true }))).toEqual(["nothing", "nothing", "owned"]);
  });

  test("neither adopts nor keeps what its further condition refuses", () => {
    const options = { filter: () => false };
    expect([claimed({}, options), claimed({ controller: "mine" }, options)]).toEqual(["nothing", "release"]);
  });
});
